import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CallerPeer } from "../../model/call.js";
import { createSecrets } from "../../util/secrets.js";
import { createRequestExchange } from "../exchange.js";
import { createServerRequests } from "./server-requests.js";
import { createLogs } from "./logs.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** One connection that several actors share, such as that of a stdio server, and the messages of its server. */
function open() {
  const sent: JSONRPCMessage[] = [];
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => (sent.push(message), Promise.resolve()),
  };
  const received: string[] = [];
  const exchange = createRequestExchange({
    server: "shared",
    transport,
    envelope: {},
    cancelByStream: false,
    isShared: false,
    onStrayAnswer: () => undefined,
    onRequest: (request) => serverRequests.handle(request),
    onNotification: (_method, params, during, late) => logs.deliver(params, during, late),
  });
  const serverRequests = createServerRequests(exchange.respond, { server: "shared" });
  const logs = createLogs({
    server: "shared",
    client: {} as Client,
    era: "legacy",
    exchange,
    secrets: createSecrets(),
    timeoutMs: 1000,
  });
  const call = (actorId: string, signal?: AbortSignal): void => {
    const peer: CallerPeer = {
      client: {},
      capabilities: { elicitation: {} },
      request: ({ params }) => {
        received.push(`${actorId} is asked: ${String(params["message"]).split("│ ")[1]}`);
        return Promise.resolve({ kind: "result", result: { action: "accept" } });
      },
    };
    const onEvent = (): void => void received.push(`${actorId} receives a log`);
    const limits = { timeoutMs: 100_000, maxTotalMs: 900_000 };
    exchange
      .request({ method: "tools/call", params: {}, ...limits, caller: { actorId, peer, onEvent } }, signal)
      .catch(() => undefined);
  };
  const say = (message: object): void =>
    transport.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage, undefined);
  return {
    sent,
    received,
    call,
    ask: (id: string) => say({ id, method: "elicitation/create", params: { message: "Delete everything?" } }),
    answer: () => say({ id: (sent.findLast((one) => "method" in one) as { id: number }).id, result: {} }),
    log: () => say({ method: "notifications/message", params: { level: "info", data: "about ann" } }),
  };
}

const LONG_MS = 60_000;

it("delivers no requests and log messages of a cancelled call to other actors", () => {
  const { sent, received, call, ask, log } = open();
  const cancellation = new AbortController();
  call("ann", cancellation.signal);
  cancellation.abort();
  call("bob");
  ask("late");
  log();
  expect(received).toEqual([]);
  expect(sent.at(-1)).toMatchObject({ id: "late", error: { code: -32_600 } });
  vi.advanceTimersByTime(LONG_MS);
  ask("much-later");
  expect(received).toEqual(["bob is asked: Delete everything?"]);
});

it("delivers requests and log messages of a cancelled call to the same actor during its next call", () => {
  const { received, call, ask, log } = open();
  const cancellation = new AbortController();
  call("ann", cancellation.signal);
  cancellation.abort();
  ask("unmatched");
  expect(received).toEqual([]);
  call("ann");
  ask("q");
  log();
  expect(received).toEqual(["ann is asked: Delete everything?", "ann receives a log"]);
});

it("delivers log messages after an answered call only to an actor that calls again immediately", () => {
  const { received, call, answer, log } = open();
  call("ann");
  answer();
  call("bob");
  log();
  expect(received).toEqual([]);
  vi.advanceTimersByTime(5_000);
  log();
  expect(received.splice(0)).toEqual(["bob receives a log"]);
  answer();
  call("bob");
  log();
  expect(received).toEqual(["bob receives a log"]);
});
