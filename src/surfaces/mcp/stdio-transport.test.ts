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

const call = (id: number, params: string, method = "tools/call") =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}}}`;
const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n';

describe("BoundedStdioTransport", () => {
  it.each<[string, string, number, unknown]>([
    ["a line that is not JSON", "hello", -32700, null],
    ["an incomplete message", '{"jsonrpc":"2.0","id":1', -32700, null],
    ["a batch", `[${PING.trim()}]`, -32600, null],
    ["another JSON-RPC version", '{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ["a method that is not a string", '{"jsonrpc":"2.0","id":"a","method":5}', -32600, "a"],
    ["params that are an array", '{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32600, 4],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ["a number", "42", -32600, null],
    ["duplicate ids", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600, null],
    ["an unsafe integer as id", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, null],
    ["an id outside the range of numbers", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600, null],
    ["duplicate methods", '{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/call"}', -32600, 5],
    ["duplicate params", '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{},"params":{}}', -32600, 5],
    ["duplicate tool names", call(5, '"name":"a","name":"b"'), -32600, 5],
    ["metadata with an unsafe integer", call(5, '"name":"a","_meta":{"span":12345678901234567890}'), -32600, 5],
    ["duplicate input responses", call(5, '"inputResponses":{"a":1,"a":2}'), -32600, 5],
    ["ambiguous arguments of another method", call(5, '"arguments":{"a":1,"a":2}', "prompts/get"), -32600, 5],
    ["a hundred ambiguous values", call(5, `"arguments":[${Array(100).fill("1e400").join()}]`), -32600, 5],
    ["a message over a megabyte", `{"a":"${"x".repeat(1024 * 1024)}"}`, -32600, null],
  ])("answers %s with an error and continues", async (_, line, code, id) => {
    const { input, received, written, idle } = await open();
    input.write(`${line}\n${PING}`);
    await idle();
    expect(written()).toEqual([{ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } }]);
    expect(received).toEqual([JSON.parse(PING)]);
  });

  it.each<[string, Buffer]>([
    ["an invalid byte", Buffer.from([0x22, 0xff, 0x22])],
    ["an overlong encoding", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["a truncated character", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ])("answers %s, which is not UTF-8, with an error and continues", async (_, value) => {
    const { input, received, written, idle } = await open();
    const [before, after] = ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":', "}}\n"];
    input.write(Buffer.concat([Buffer.from(before), value, Buffer.from(`${after}${PING}`)]));
    await idle();
    expect(written()).toMatchObject([{ id: null, error: { code: -32700 } }]);
    expect(received).toEqual([JSON.parse(PING)]);
  });

  const nested = (depth: number) => call(1, `"name":"x","arguments":${"[".repeat(depth)}${"]".repeat(depth)}`);
  const members = (count: number) => Array.from({ length: count }, (_, n) => `"${n.toString(36)}":0`).join();
  it.each<[string, string]>([
    ["arrays nested 10,000 levels deep", nested(10_000)],
    ["arrays nested 500,000 levels deep", nested(500_000)],
    ["arrays that are never closed", call(1, `"name":"x","arguments":${"[".repeat(1_000_000)}`)],
    [
      "objects nested 100,000 levels deep",
      call(1, `"name":"x","arguments":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    ],
    ["nested arrays after 100 ambiguous values", call(1, `"a":[${"-0,".repeat(100)}0],"b":${"[".repeat(500_000)}`)],
    ["an object with 100,000 members", call(1, `"name":"x","arguments":{${members(100_000)}}`)],
  ])("rejects %s in about the time that JSON.parse takes", async (_, line) => {
    expect(line.length).toBeLessThan(1024 * 1024);
    const times: number[] = [];
    // Take the fastest of five runs: in the first ones the code is not compiled yet.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { input, received, written, idle } = await open();
      const begin = process.cpuUsage();
      input.write(`${line}\n${PING}`);
      await idle();
      const { user, system } = process.cpuUsage(begin);
      times.push((user + system) / 1000);
      expect(written()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
      expect(received).toEqual([JSON.parse(PING)]);
    }
    const plain = `{${members(100_000)}}`;
    const readings = Array.from({ length: 5 }, () => {
      const begin = process.cpuUsage();
      JSON.parse(plain);
      const { user, system } = process.cpuUsage(begin);
      return (user + system) / 1000;
    });
    // 50 ms is the goal; the control allows for a slow machine. A quadratic algorithm would take a thousand times as long.
    expect(Math.min(...times)).toBeLessThan(Math.max(50, 10 * Math.min(...readings)));
  });

  it("accepts arguments one level too deep, which the executor rejects", async () => {
    const { input, received, idle } = await open();
    input.write(`${nested(65)}\n`);
    await idle();
    expect(received).toHaveLength(1);
  });

  it("skips a line of 100 MB and continues", async () => {
    const { input, received, written, idle } = await open();
    const megabyte = Buffer.alloc(1024 * 1024, 0x61);
    for (let count = 0; count < 100; count += 1) input.write(megabyte);
    input.write(`\n${PING}`);
    while (received.length === 0) await idle();
    await idle();
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it("answers an oversized request under its id", async () => {
    const { input, written, idle } = await open();
    input.write(`{"jsonrpc":"2.0","id":"big","method":"x","params":{"a":"${"x".repeat(1024 * 1024)}"}}\n`);
    await idle();
    expect(written()).toMatchObject([{ id: "big", error: { code: -32600 } }]);
  });

  it("sends an error instead of an answer that cannot be serialized", async () => {
    const { transport, written, idle } = await open();
    const result: Record<string, unknown> = {};
    result["itself"] = result;
    await transport.send({ jsonrpc: "2.0", id: 3, result });
    await idle();
    expect(written()).toMatchObject([{ id: 3, error: { code: -32603 } }]);
  });

  it("drops a notification that cannot be serialized", async () => {
    const { transport, written, idle } = await open();
    const params: Record<string, unknown> = {};
    params["itself"] = params;
    await transport.send({ jsonrpc: "2.0", method: "notifications/message", params });
    await idle();
    expect(written()).toEqual([]);
  });

  it("does not read from a client that does not read its answers", async () => {
    const { input, output, transport, received, idle } = await open();
    await transport.send({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1_000_000) } });
    await idle();
    input.write(PING);
    await idle();
    expect(received).toEqual([]);
    output.resume();
    await new Promise<void>((resolve) => (transport.onmessage = () => resolve()));
  });

  it.each<[string, string, string]>([
    ["a duplicate argument", '{"a":1,"a":2}', "/params/arguments/a duplicate-key"],
    ["duplicate arguments objects", '{},"arguments":{}', "/params/arguments duplicate-key"],
    ["a duplicate key with an escape sequence", '{"a":1,"\\u0061":2}', "/params/arguments/a duplicate-key"],
    ["an unsafe integer", '{"n":[9007199254740993]}', "/params/arguments/n/0 unsafe-integer"],
    ["a number outside the range of numbers", '{"n":1e400}', "/params/arguments/n lossy-number"],
    ["a negative zero", '{"n":-0}', "/params/arguments/n negative-zero"],
    ["a lone surrogate", '{"s":"\\ud800"}', "/params/arguments/s lone-surrogate"],
    ["a null character", '{"s":"\\u0000"}', "/params/arguments/s null-character"],
    ["the key __proto__", '{"__proto__":{}}', "/params/arguments/__proto__ forbidden-key"],
  ])("reports %s in the arguments of an open call", async (_, given, flaw) => {
    const { input, transport, received, idle } = await open();
    input.write(`${call(1, `"name":"x","arguments":${given}`)}\n`);
    await idle();
    expect(received).toHaveLength(1);
    expect(transport.flawsOf(1).map(({ path, kind }) => `${path} ${kind}`)).toEqual([flaw]);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    expect(transport.flawsOf(1)).toEqual([]);
  });

  it("rejects a second request with an id that is still open, and keeps the first", async () => {
    const { input, transport, received, written, idle } = await open();
    input.write(`${call(7, '"name":"x","arguments":{"a":1,"a":2}')}\n${PING}`);
    await idle();
    expect(received).toHaveLength(1);
    expect(written()).toMatchObject([
      { id: null, error: { code: -32600, message: "A request with the id 7 is still open." } },
    ]);
    expect(transport.flawsOf(7)).toHaveLength(1);
    await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
    input.write(PING);
    await idle();
    expect(received).toHaveLength(2);
  });

  it.each<[string, string, number]>([
    ["with a duplicate request id", '{"requestId":7,"requestId":8}', 0],
    ["with an unsafe integer as request id", '{"requestId":9007199254740993}', 0],
    ["with a lone surrogate in its reason", '{"requestId":7,"reason":"\\ud83d"}', 1],
  ])("ignores an invalid cancellation %s, unless only its reason is invalid", async (_, params, count) => {
    const { input, received, written, idle } = await open();
    input.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`);
    await idle();
    expect(received).toHaveLength(count);
    expect(written()).toEqual([]);
  });

  it("replaces an ambiguous response with an error", async () => {
    const { input, received, idle } = await open();
    input.write('{"jsonrpc":"2.0","id":5,"result":{"action":"accept","action":"decline"}}\n');
    input.write('{"jsonrpc":"2.0","id":6,"result":{"action":"accept"}}\n');
    await idle();
    expect(received).toEqual([
      { jsonrpc: "2.0", id: 5, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: "2.0", id: 6, result: { action: "accept" } },
    ]);
  });

  it("answers each open request once in answerOpen", async () => {
    const { input, transport, written, idle } = await open();
    input.write(PING);
    await idle();
    transport.answerOpen((method) => ({ error: { code: -1, message: method } }));
    await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
    transport.answer({ jsonrpc: "2.0", id: 7, result: {} });
    await idle();
    expect(written()).toMatchObject([{ id: 7, error: { message: "ping" } }]);
  });

  it("reads messages in chunks of any size and with either line ending, and skips empty lines", async () => {
    const { input, received, idle } = await open();
    for (const byte of Buffer.from(`\n\r\n${PING.trim()}\r\n`)) input.write(Buffer.from([byte]));
    await idle();
    expect(received).toHaveLength(1);
  });

  it("reports that the client has closed its output, and closes only once", async () => {
    const { input, transport, idle } = await open();
    const events: string[] = [];
    transport.onclose = () => events.push("close");
    transport.onhangup = () => events.push("hang-up");
    input.end();
    await idle();
    expect(events[0]).toBe("hang-up");
    await transport.close();
    await transport.close();
    expect(events.filter((word) => word === "close")).toHaveLength(1);
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
  });

  it("does not fail when the output breaks", async () => {
    const { output, transport, idle } = await open();
    output.destroy(new Error("EPIPE"));
    await idle();
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
  });

  it("resolves answered() when every request has been answered or cancelled", async () => {
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

  it("reports once that the first answer is being sent", async () => {
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

  it("are answered together in the revision that has batches, and each message is handled separately", async () => {
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

  it("must not contain initialize or duplicate ids", async () => {
    const { transport, received, written, idle, send } = await openOn("2025-03-26");
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "a", version: "1" } };
    await send([ping(1), ping(1), { jsonrpc: "2.0", id: 2, method: "initialize", params }]);
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

  it("assign the ambiguities to their messages", async () => {
    const { input, transport, received, written, idle } = await openOn("2025-03-26");
    const flawed = (id: number) => call(id, '"name":"x","arguments":{"a":1,"a":2}');
    const items = [call(1, '"name":"x"'), flawed(2), call(3, '"name":"x","name":"y"')];
    const odd = ['{"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}', '{"jsonrpc":"2.0","method":"a","method":"b"}'];
    input.write(`[${[...items, ...odd].join()}]\n`);
    await idle();
    expect(received.map((message) => "id" in message && message.id)).toEqual([1, 2]);
    expect(transport.flawsOf(1)).toEqual([]);
    expect(transport.flawsOf(2)).toMatchObject([{ path: "/params/arguments/a" }]);
    for (const id of [1, 2]) await transport.send({ jsonrpc: "2.0", id, result: {} });
    await idle();
    expect(written()).toMatchObject([
      [{ id: 3, error: { code: -32600 } }, { id: null, error: { code: -32600 } }, { id: 1 }, { id: 2 }],
    ]);
  });

  it("must not contain the id of a request that is still open", async () => {
    const { input, received, written, idle, send } = await openOn("2025-03-26");
    input.write(PING);
    await send([ping(7)]);
    await idle();
    expect(received).toHaveLength(1);
    expect(written()).toMatchObject([[{ id: 7, error: { code: -32600 } }]]);
  });

  it("are answered completely when the gateway stops", async () => {
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
    ["in another revision", "2025-06-18", [ping(1)]],
    ["without messages", "2025-03-26", []],
    ["with more than 100 messages", "2025-03-26", Array.from({ length: 101 }, (_, n) => ping(n))],
  ])("%s are rejected completely", async (_, revision, items) => {
    const { received, written, send } = await openOn(revision);
    await send(items);
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(received).toEqual([]);
  });
});
