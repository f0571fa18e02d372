import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpHttpHandler, Server } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { closeAll, openWatched, toCall } from "../../test/support/upstreams.js";
import type { UpstreamTarget } from "./types.js";

let listener: HttpServer;
let handler: McpHttpHandler;
let target: UpstreamTarget;
let opened = 0;

beforeEach(async () => {
  opened = 0;
  handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: "shelf", version: "1.0.0" },
        { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
      );
      server.setRequestHandler("tools/list", () => ({ tools: [] }));
      server.setRequestHandler("tools/call", () => ({ content: [] }));
      return server;
    },
    { legacy: "reject" },
  );
  const answer = toNodeHandler(handler);
  listener = createServer((request, response) => {
    if (request.headers["mcp-method"] === "subscriptions/listen") opened += 1;
    void answer(request as Parameters<typeof answer>[0], response);
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  target = { name: "shelf", eraHint: "modern", connection: () => ({ kind: "http", url, headers: {} }) };
});
afterEach(async () => {
  await closeAll();
  await handler.close();
  listener.closeAllConnections();
  listener.close();
});

it("reopens the interrupted change stream of a modern server, and reports a change", async () => {
  let lists = 0;
  const upstreams = openWatched({}, { onListChanged: () => void (lists += 1) });
  let notified = 0;
  const { answer, end } = await upstreams.watch(target, "book://1", () => void (notified += 1));
  expect(answer.kind).toBe("result");
  await upstreams.call(target, toCall("any"));
  await eventually(() => opened === 2);
  listener.closeAllConnections();
  await eventually(() => notified === 1 && lists === 1);
  expect(opened).toBe(4);
  handler.notify.resourceUpdated("book://1");
  await eventually(() => notified === 2);
  end();
  handler.notify.resourceUpdated("book://1");
  listener.closeAllConnections();
  await eventually(() => opened === 5);
  expect(notified).toBe(2);
});
