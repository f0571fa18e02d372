import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { createRequestExchange } from "./exchange.js";
import { createServerRequests } from "./server-requests/server-requests.js";

it("answers a server request of a cancelled call over HTTP only after the server has received the cancellation", async () => {
  const sent: unknown[] = [];
  let receive: () => void = () => undefined;
  const received = new Promise<void>((resolve) => (receive = resolve));
  const transport: Transport = {
    hasPerRequestStream: true,
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async send(message) {
      const { id, method } = message as { id?: unknown; method?: string };
      sent.push(method ?? id);
      const question = { jsonrpc: "2.0", id: "question", method: "elicitation/create", params: { message: "Why?" } };
      if (method === "tools/call") transport.onmessage?.(question as JSONRPCMessage, undefined);
      if (method === "notifications/cancelled") await received;
    },
  };
  const exchange = createRequestExchange({
    server: "remote",
    transport,
    envelope: {},
    cancelByStream: false,
    isShared: false,
    onStrayAnswer: () => undefined,
    onRequest: (request) => serverRequests.handle(request),
    onNotification: () => undefined,
  });
  const serverRequests = createServerRequests(exchange.respond, { server: "remote" });
  const peer = {
    client: {},
    capabilities: { elicitation: {} },
    request: (_question: unknown, signal?: AbortSignal) =>
      new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(new Error("gone")))),
  };
  const cancellation = new AbortController();
  const limits = { timeoutMs: 100_000, maxTotalMs: 900_000 };
  const call = exchange.request(
    { method: "tools/call", params: {}, ...limits, caller: { actorId: "ann", peer } },
    cancellation.signal,
  );
  await new Promise(setImmediate);
  cancellation.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  await new Promise(setImmediate);
  expect(sent).toEqual(["tools/call", "notifications/cancelled"]);
  receive();
  await new Promise(setImmediate);
  expect(sent).toEqual(["tools/call", "notifications/cancelled", "question"]);
});
