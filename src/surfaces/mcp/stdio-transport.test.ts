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

  it("takes messages in any pieces, with either line ending, and skips empty lines", async () => {
    const { input, received, idle } = await open();
    for (const byte of Buffer.from(`\n\r\n${PING.trim()}\r\n`)) input.write(Buffer.from([byte]));
    await idle();
    expect(received).toHaveLength(1);
  });

  it("closes once when the client hangs up", async () => {
    const { input, transport, idle } = await open();
    let closes = 0;
    transport.onclose = () => (closes += 1);
    input.end();
    await idle();
    await transport.close();
    expect(closes).toBe(1);
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
