import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { BoundedStdioTransport } from "./stdio-transport.js";

async function open() {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new BoundedStdioTransport(input, output);
  const received: JSONRPCMessage[] = [];
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  const written = () =>
    String(output.read() ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
  const idle = () => new Promise((resolve) => setImmediate(resolve));
  return { input, output, transport, received, written, idle };
}

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n';

describe("BoundedStdioTransport", () => {
  it.each<[string, string, number, unknown]>([
    ["text that is no JSON", "hello", -32700, null],
    ["half a message", '{"jsonrpc":"2.0","id":1', -32700, null],
    ["a batch", `[${PING.trim()}]`, -32600, null],
    ["another version", '{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ["a method that is no text", '{"jsonrpc":"2.0","id":"a","method":5}', -32600, "a"],
    ["parameters that are a list", '{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32600, 4],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ["a bare value", "42", -32600, null],
    ["a message over a megabyte", `{"a":"${"x".repeat(1024 * 1024)}"}`, -32600, null],
  ])("answers %s with an error and goes on", async (_, line, code, id) => {
    const { input, received, written, idle } = await open();
    input.write(`${line}\n${PING}`);
    await idle();
    expect(written()).toEqual([{ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } }]);
    expect(received).toEqual([JSON.parse(PING)]);
  });

  it("answers an oversized request under its own id", async () => {
    const { input, written, idle } = await open();
    input.write(`{"jsonrpc":"2.0","id":"big","method":"x","params":{"a":"${"x".repeat(1024 * 1024)}"}}\n`);
    await idle();
    expect(written()).toMatchObject([{ id: "big", error: { code: -32600 } }]);
  });

  it("answers even what cannot be written as JSON", async () => {
    const { transport, written, idle } = await open();
    const result: Record<string, unknown> = {};
    result["itself"] = result;
    await transport.send({ jsonrpc: "2.0", id: 3, result });
    await idle();
    expect(written()).toMatchObject([{ id: 3, error: { code: -32603 } }]);
  });

  it("leaves out a notification that cannot be written as JSON", async () => {
    const { transport, written, idle } = await open();
    const params: Record<string, unknown> = {};
    params["itself"] = params;
    await transport.send({ jsonrpc: "2.0", method: "notifications/message", params });
    await idle();
    expect(written()).toEqual([]);
  });

  it("does not read from a client that does not read", async () => {
    const { input, output, transport, received, idle } = await open();
    await transport.send({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1_000_000) } });
    await idle();
    input.write(PING);
    await idle();
    expect(received).toEqual([]);
    output.resume();
    await new Promise<void>((resolve) => (transport.onmessage = () => resolve()));
  });

  it("answers what is still open when it is asked to", async () => {
    const { input, transport, written, idle } = await open();
    input.write(PING);
    await idle();
    transport.answerOpen((method) => ({ error: { code: -1, message: method } }));
    await idle();
    expect(written()).toMatchObject([{ id: 7, error: { message: "ping" } }]);
  });

  it("takes messages in any pieces, with either line ending, and skips empty lines", async () => {
    const { input, received, idle } = await open();
    for (const byte of Buffer.from(`\n\r\n${PING.trim()}\r\n`)) input.write(Buffer.from([byte]));
    await idle();
    expect(received).toHaveLength(1);
  });

  it("tells that the client has hung up, and closes once when it is told to", async () => {
    const { input, transport, idle } = await open();
    const heard: string[] = [];
    transport.onclose = () => heard.push("close");
    transport.onhangup = () => heard.push("hang-up");
    input.end();
    await idle();
    expect(heard[0]).toBe("hang-up");
    await transport.close();
    await transport.close();
    expect(heard.filter((word) => word === "close")).toHaveLength(1);
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
  });

  it("survives a client that stops reading for good", async () => {
    const { output, transport, idle } = await open();
    output.destroy(new Error("EPIPE"));
    await idle();
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
  });

  it("knows when every request has been answered or cancelled", async () => {
    const { input, transport, idle } = await open();
    input.write(PING);
    input.write('{"jsonrpc":"2.0","id":8,"method":"ping"}\n');
    await idle();
    let isDone = false;
    const done = transport.answered(60_000).then(() => (isDone = true));
    await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
    expect(isDone).toBe(false);
    input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}\n');
    await done;
  });

  it("tells once that the first answer is on its way", async () => {
    const { transport } = await open();
    let times = 0;
    transport.onfirstanswer = () => (times += 1);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    expect(times).toBe(1);
  });
});

describe("batches", () => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  async function openOn(revision: string) {
    const opened = await open();
    opened.transport.setProtocolVersion(revision);
    const { input, idle } = opened;
    const send = async (items: unknown) => {
      input.write(`${JSON.stringify(items)}\n`);
      await idle();
    };
    return { ...opened, send };
  }

  it("are answered together, each message by itself, where the revision has them", async () => {
    const { transport, received, written, idle, send } = await openOn("2025-03-26");
    await send([ping(1), { jsonrpc: "2.0", method: "notifications/x" }, 42, ping(2)]);
    expect(received).toHaveLength(3);
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    await idle();
    expect(written()).toEqual([]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await idle();
    expect(written()).toEqual([
      [
        expect.objectContaining({ id: null }),
        { jsonrpc: "2.0", id: 2, result: {} },
        { jsonrpc: "2.0", id: 1, result: {} },
      ],
    ]);
  });

  it("do not wait for a request that was cancelled", async () => {
    const { input, transport, written, idle, send } = await openOn("2025-03-26");
    await send([ping(1), ping(2)]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n');
    await idle();
    expect(written()).toEqual([[{ jsonrpc: "2.0", id: 1, result: {} }]]);
  });

  it("hold no initialize and no id twice", async () => {
    const { transport, received, written, idle, send } = await openOn("2025-03-26");
    await send([ping(1), ping(1), { jsonrpc: "2.0", id: 2, method: "initialize", params: {} }]);
    expect(received).toEqual([ping(1)]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await idle();
    expect(written()).toMatchObject([
      [
        { id: 1, error: { code: -32600 } },
        { id: 2, error: { code: -32600 } },
        { id: 1, result: {} },
      ],
    ]);
  });

  it("are answered whole when the gateway stops", async () => {
    const { transport, written, idle, send } = await openOn("2025-03-26");
    await send([ping(1), ping(2)]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    transport.answerOpen(() => ({ result: { late: true } }));
    await idle();
    expect(written()).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 2, result: { late: true } },
      ],
    ]);
  });

  it.each<[string, string, unknown]>([
    ["of another revision", "2025-06-18", [ping(1)]],
    ["that are empty", "2025-03-26", []],
    ["of more than a hundred", "2025-03-26", Array.from({ length: 101 }, (_, n) => ping(n))],
  ])("%s are refused as a whole", async (_, revision, items) => {
    const { received, written, send } = await openOn(revision);
    await send(items);
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(received).toEqual([]);
  });
});
