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
    ["text that is no JSON", "hello", -32700, null],
    ["half a message", '{"jsonrpc":"2.0","id":1', -32700, null],
    ["a batch", `[${PING.trim()}]`, -32600, null],
    ["another version", '{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ["a method that is no text", '{"jsonrpc":"2.0","id":"a","method":5}', -32600, "a"],
    ["parameters that are a list", '{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32600, 4],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ["a bare value", "42", -32600, null],
    ["two ids", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600, null],
    ["an id that no number holds", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, null],
    ["an id beyond all numbers", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600, null],
    ["two methods", '{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/call"}', -32600, 5],
    ["two params", '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{},"params":{}}', -32600, 5],
    ["two names of a tool", call(5, '"name":"a","name":"b"'), -32600, 5],
    ["metadata that would arrive otherwise", call(5, '"name":"a","_meta":{"span":12345678901234567890}'), -32600, 5],
    ["two answers of a person", call(5, '"inputResponses":{"a":1,"a":2}'), -32600, 5],
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
    ["a stray byte", Buffer.from([0x22, 0xff, 0x22])],
    ["an overlong form", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ["half a surrogate pair", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["half a character", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
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
    ["lists in each other, 10,000 deep", nested(10_000)],
    ["lists in each other, 500,000 deep", nested(500_000)],
    ["lists that are opened and never closed", call(1, `"name":"x","arguments":${"[".repeat(1_000_000)}`)],
    ["objects in each other", call(1, `"name":"x","arguments":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)],
    ["objects in each other behind a hundred flaws", call(1, `"a":[${"-0,".repeat(100)}0],"b":${"[".repeat(500_000)}`)],
    ["100,000 members", call(1, `"name":"x","arguments":{${members(100_000)}}`)],
  ])("rejects %s in about the time that reading it takes", async (_, line) => {
    expect(line.length).toBeLessThan(1024 * 1024);
    const times: number[] = [];
    // The first runs are those of code that is not compiled yet, beside whatever else the machine does.
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
    // 50 ms is the goal; a machine that is slow today is slow at both. What grows with the square takes a thousandfold.
    expect(Math.min(...times)).toBeLessThan(Math.max(50, 10 * Math.min(...readings)));
  });

  it("takes in what is nested as deep as arguments may be, and leaves the rest to the executor", async () => {
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

  it.each<[string, string, string]>([
    ["an argument twice", '{"a":1,"a":2}', "/params/arguments/a duplicate-key"],
    ["all arguments twice", '{},"arguments":{}', "/params/arguments duplicate-key"],
    ["a key that is written in two ways", '{"a":1,"\\u0061":2}', "/params/arguments/a duplicate-key"],
    ["an integer that no number holds", '{"n":[9007199254740993]}', "/params/arguments/n/0 unsafe-integer"],
    ["a number beyond all numbers", '{"n":1e400}', "/params/arguments/n lossy-number"],
    ["a negative zero", '{"n":-0}', "/params/arguments/n negative-zero"],
    ["half of a surrogate pair", '{"s":"\\ud800"}', "/params/arguments/s lone-surrogate"],
    ["a null character", '{"s":"\\u0000"}', "/params/arguments/s null-character"],
    ["a key that is no data", '{"__proto__":{}}', "/params/arguments/__proto__ forbidden-key"],
  ])("remembers that the arguments of an open call hold %s", async (_, given, flaw) => {
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
    ["whose id is there twice", '{"requestId":7,"requestId":8}', 0],
    ["whose id is no exact number", '{"requestId":9007199254740993}', 0],
    ["whose reason was cut inside a character", '{"requestId":7,"reason":"\\ud83d"}', 1],
  ])("ignores an invalid cancellation %s, unless only its reason is invalid", async (_, params, count) => {
    const { input, received, written, idle } = await open();
    input.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`);
    await idle();
    expect(received).toHaveLength(count);
    expect(written()).toEqual([]);
  });

  it("passes on that there is no answer for one that can be read in two ways", async () => {
    const { input, received, idle } = await open();
    input.write('{"jsonrpc":"2.0","id":5,"result":{"action":"accept","action":"decline"}}\n');
    input.write('{"jsonrpc":"2.0","id":6,"result":{"action":"accept"}}\n');
    await idle();
    expect(received).toEqual([
      { jsonrpc: "2.0", id: 5, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: "2.0", id: 6, result: { action: "accept" } },
    ]);
  });

  it("answers what is still open when it is asked to, once", async () => {
    const { input, transport, written, idle } = await open();
    input.write(PING);
    await idle();
    transport.answerOpen((method) => ({ error: { code: -1, message: method } }));
    await transport.send({ jsonrpc: "2.0", id: 7, result: {} });
    transport.answer({ jsonrpc: "2.0", id: 7, result: {} });
    await idle();
    expect(written()).toMatchObject([{ id: 7, error: { message: "ping" } }]);
  });

  it("takes messages in any pieces, with either line ending, and skips empty lines", async () => {
    const { input, received, idle } = await open();
    for (const byte of Buffer.from(`\n\r\n${PING.trim()}\r\n`)) input.write(Buffer.from([byte]));
    await idle();
    expect(received).toHaveLength(1);
  });

  it("reports that the client has disconnected, and closes once on request", async () => {
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

  it("know the flaws of each message from those of the others", async () => {
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

  it("hold no id of a request that is still open", async () => {
    const { input, received, written, idle, send } = await openOn("2025-03-26");
    input.write(PING);
    await send([ping(7)]);
    await idle();
    expect(received).toHaveLength(1);
    expect(written()).toMatchObject([[{ id: 7, error: { code: -32600 } }]]);
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
  ])("rejects %s as a whole", async (_, revision, items) => {
    const { received, written, send } = await openOn(revision);
    await send(items);
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(received).toEqual([]);
  });
});
