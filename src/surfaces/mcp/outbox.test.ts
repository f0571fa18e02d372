// A client on a real socket that sends requests and reads nothing.
import { once } from "node:events";
import { createServer, createConnection, type AddressInfo, type Socket } from "node:net";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { BoundedStdioTransport } from "./stdio-transport.js";

const MIB = 1024 * 1024;
const text = "x".repeat(1_000);
const sockets: Socket[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(answerBytes = 250_000) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
  const [output] = (await once(server, "connection")) as [Socket];
  server.close();
  client.pause();
  sockets.push(client, output);
  const transport = new BoundedStdioTransport(output, output);
  const received: JSONRPCMessage[] = [];
  transport.onmessage = (message) => {
    received.push(message);
    if ("id" in message)
      void transport.send({ jsonrpc: "2.0", id: message.id ?? 0, result: { text: "x".repeat(answerBytes) } });
  };
  await transport.start();
  const idle = () => new Promise((resolve) => setImmediate(resolve));
  /** Sends notifications until the client has some megabytes to read. */
  const notify = async (method: string, count: number, params: object = {}) => {
    for (let sent = 0; sent < count; sent += 1) {
      await transport.send({ jsonrpc: "2.0", method, params: { ...params } });
      if (sent % 100 === 0) await idle();
    }
  };
  const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"a":"${text}${text}"}}\n`;
  return { client, output, transport, received, notify, ping, idle };
}

describe("a client that reads nothing", () => {
  it.each(["notifications/progress", "notifications/message"])("gets no endless backlog of %s", async (method) => {
    const { output, notify } = await open();
    await notify(method, 20_000, { data: text });
    expect(output.writableLength).toBeLessThan(2 * MIB);
  });

  it("gets each other notification once", async () => {
    const { client, output, notify, transport } = await open();
    await notify("notifications/message", 20_000, { data: text });
    await notify("notifications/resources/list_changed", 5_000);
    await notify("notifications/prompts/list_changed", 5_000);
    expect(output.writableLength).toBeLessThan(2 * MIB);
    await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
    let seen = "";
    client.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    client.resume();
    await eventually(() => seen.includes('"id":7'));
    expect(seen.match(/resources\/list_changed/g)).toHaveLength(1);
    expect(seen.match(/prompts\/list_changed/g)).toHaveLength(1);
    // When the client reads again, it gets everything again.
    await notify("notifications/message", 1, { data: "news" });
    await notify("notifications/prompts/list_changed", 1);
    await eventually(() => seen.includes("news") && seen.match(/prompts\/list_changed/g)?.length === 2);
  });

  it("can send requests only until too many bytes are unread, also after the stall, and none is lost", async () => {
    const { client, output, received, ping, idle } = await open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    for (let id = 1; id <= 400; id += 1) client.write(ping(id));
    for (let turn = 0; turn < 200; turn += 1) {
      await idle();
      vi.advanceTimersByTime(250);
    }
    // One chunk of requests may be in progress when the limit is reached.
    const most = received.length;
    expect(most).toBeLessThan(100);
    for (let turn = 0; turn < 30; turn += 1) {
      await idle();
      vi.advanceTimersByTime(200);
    }
    expect(received).toHaveLength(most);
    vi.useRealTimers();
    expect(output.destroyed).toBe(false);
    client.resume();
    await eventually(() => received.length === 400);
  });

  it("is disconnected after a minute, if too many bytes are unread", async () => {
    const { client, output, transport, ping, idle } = await open(MIB);
    let isClosed = false;
    transport.onclose = () => (isClosed = true);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    for (let id = 1; id <= 400; id += 1) client.write(ping(id));
    while (output.writableLength < 5 * MIB) await idle();
    vi.advanceTimersByTime(59_000);
    expect(isClosed).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(isClosed).toBe(true);
  });
});
