import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CallerPeer } from "../../model/call.js";
import { createSecrets } from "../../util/secrets.js";
import { createExchange } from "../exchange.js";
import { createServerQuestions } from "./answer-server.js";
import { createLogs } from "./logs.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** One connection that several actors share, as that to a program is, and what the server on it says. */
function open() {
  const sent: JSONRPCMessage[] = [];
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => (sent.push(message), Promise.resolve()),
  };
  const heard: string[] = [];
  const exchange = createExchange({
    server: "shared",
    transport,
    envelope: {},
    cancelByStream: false,
    onRequest: (request) => questions.take(request),
    onNotification: (_method, params, during, late) => logs.tell(params, during, late),
  });
  const questions = createServerQuestions(exchange.respond);
  const logs = createLogs({
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
        heard.push(`${actorId} is asked: ${String(params["message"])}`);
        return Promise.resolve({ kind: "result", result: { action: "accept" } });
      },
    };
    const onEvent = (): void => void heard.push(`${actorId} hears`);
    const limits = { timeoutMs: 100_000, maxTotalMs: 900_000 };
    exchange
      .request({ method: "tools/call", params: {}, ...limits, caller: { actorId, peer, onEvent } }, signal)
      .catch(() => undefined);
  };
  const say = (message: object): void =>
    transport.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage, undefined);
  return {
    sent,
    heard,
    call,
    ask: (id: string) => say({ id, method: "elicitation/create", params: { message: "Delete everything?" } }),
    answer: () => say({ id: (sent.findLast((one) => "method" in one) as { id: number }).id, result: {} }),
    log: () => say({ method: "notifications/message", params: { level: "info", data: "about ann" } }),
  };
}

const LONG_MS = 60_000;

it("what a server asks or says after a call was given up reaches nobody else who calls meanwhile", () => {
  const { sent, heard, call, ask, log } = open();
  const giveUp = new AbortController();
  call("ann", giveUp.signal);
  giveUp.abort();
  call("bob");
  ask("late");
  log();
  expect(heard).toEqual([]);
  expect(sent.at(-1)).toMatchObject({ id: "late", error: { code: -32_600 } });
  vi.advanceTimersByTime(LONG_MS);
  ask("much-later");
  expect(heard).toEqual(["bob is asked: Delete everything?"]);
});

it("whoever gave up a call is asked and told in the course of the next one", () => {
  const { heard, call, ask, log } = open();
  const giveUp = new AbortController();
  call("ann", giveUp.signal);
  giveUp.abort();
  ask("nobody's");
  expect(heard).toEqual([]);
  call("ann");
  ask("q");
  log();
  expect(heard).toEqual(["ann is asked: Delete everything?", "ann hears"]);
});

it("what a server says after a call was answered reaches nobody else for a while, and whoever called again at once", () => {
  const { heard, call, answer, log } = open();
  call("ann");
  answer();
  call("bob");
  log();
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(5_000);
  log();
  expect(heard.splice(0)).toEqual(["bob hears"]);
  answer();
  call("bob");
  log();
  expect(heard).toEqual(["bob hears"]);
});
