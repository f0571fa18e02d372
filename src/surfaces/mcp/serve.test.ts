import { eventually } from "../../../test/support/eventually.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isBefore } from "../../../test/support/is-before.js";
import { INITIALIZE, testServer } from "../../../test/support/gateway.js";
import type { DiscoveryConfig } from "../../config/discovery-config.js";
import { DiscoveryEngine } from "../../engine.js";
import { serveMcp } from "./serve.js";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> & { content?: { text: string }[]; isError?: boolean };
  readonly error?: { code: number; message: string };
}

/** A raw client of the served engine. */
class Driver {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly stop = new AbortController();
  readonly notifications: Message[] = [];
  /** Called with each request of the gateway to its client. */
  onrequest: (message: Message) => void = () => undefined;
  readonly logged: string[] = [];
  readonly served: Promise<void>;
  #nextId = 1;

  constructor(readonly engine: DiscoveryEngine) {
    createInterface({ input: this.#output }).on("line", (line) => this.#receive(JSON.parse(line) as Message));
    const log = (message: string) => this.logged.push(message);
    this.served = serveMcp({ engine, input: this.#input, output: this.#output, log }, this.stop.signal);
  }

  #receive(message: Message): void {
    if (message.id === undefined) this.notifications.push(message);
    else if (message.method !== undefined) this.onrequest(message);
    else this.#waiting.get(message.id)?.(message);
  }

  notify(method: string, params: object = {}): void {
    this.#input.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  request(method: string, params: object = {}): Promise<Message> {
    return this.requestRaw(method, JSON.stringify(params));
  }

  /** For JSON that JSON.stringify cannot produce. */
  requestRaw(method: string, params: string): Promise<Message> {
    const id = this.#nextId++;
    this.#input.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async open(capabilities: object = {}): Promise<Message> {
    const opening = await this.request("initialize", { ...INITIALIZE.params, capabilities });
    this.notify("notifications/initialized");
    return opening;
  }

  execute(tool: string, args: object, meta: object = {}): Promise<Message> {
    return this.request("tools/call", {
      name: "execute_tool",
      arguments: { server: "echo", tool, arguments: args },
      _meta: meta,
    });
  }

  hangUp(): void {
    this.#input.end();
  }
}

let folder: string;
let drivers: Driver[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "serve-"));
  drivers = [];
});
afterEach(async () => {
  for (const driver of drivers) {
    driver.hangUp();
    await driver.served;
    await driver.engine.close();
  }
  await rm(folder, { recursive: true, force: true });
});

function serve(config: DiscoveryConfig = { servers: { echo: testServer("echo.mjs") } }): Driver {
  const options = { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder }, stateFolder: join(folder, "state") };
  const driver = new Driver(new DiscoveryEngine(config, options));
  drivers.push(driver);
  return driver;
}

describe("the MCP surface", () => {
  it("answers initialize with its name, capabilities and instructions", async () => {
    const { result } = await serve().open();
    expect(result).toMatchObject({
      serverInfo: { name: "anygpt-discovery" },
      capabilities: { tools: {}, resources: {}, logging: {} },
      instructions: expect.stringContaining("echo"),
    });
  });

  it("forwards a result with members that no schema defines", async () => {
    const client = serve();
    await client.open();
    const { result } = await client.execute("rich", {});
    expect(result).toMatchObject({
      unheardOf: true,
      _meta: { "example.com/trace": "t-1" },
      structuredContent: { deep: { value: [1, null] } },
    });
    expect(result?.content?.at(-1)).toEqual({ type: "hologram", beams: 3 });
  });

  it("forwards a result with isError", async () => {
    const client = serve();
    await client.open();
    expect((await client.execute("fail", {})).result).toEqual({
      content: [{ type: "text", text: "it did not work" }],
      isError: true,
      _meta: { "anygpt/execution": { request_id: expect.any(String) as unknown } },
    });
  });

  it("sends progress with the client's token, and none without a token", async () => {
    const client = serve();
    await client.open();
    await client.execute("sleep", { ms: 50, every: 10 }, { progressToken: "mine" });
    const progress = client.notifications.filter(({ method }) => method === "notifications/progress");
    expect(progress.length).toBeGreaterThan(1);
    expect(progress[0]?.params).toEqual({ progressToken: "mine", progress: 10, total: 50 });
    client.notifications.length = 0;
    await client.execute("sleep", { ms: 50, every: 10 });
    expect(client.notifications.filter(({ method }) => method === "notifications/progress")).toEqual([]);
  });

  it("forwards log messages", async () => {
    const client = serve();
    await client.open();
    await client.execute("log", { message: "from the server" });
    expect(client.notifications).toContainEqual({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", logger: "echo: echo", data: "from the server" },
    });
  });

  it("forwards the client's metadata without its progress token", async () => {
    const client = serve();
    await client.open();
    const { result } = await client.execute("meta", {}, { progressToken: "mine", "example.com/trace": "t" });
    const meta = JSON.parse(result?.content?.[0]?.text ?? "") as Record<string, unknown>;
    expect(meta["example.com/trace"]).toBe("t");
    expect(meta["progressToken"]).not.toBe("mine");
  });

  it("applies the timeout of the caller", async () => {
    const client = serve();
    await client.open();
    // Start the server first, so that its start does not count towards the timeout.
    await client.execute("pid", {});
    const args = { server: "echo", tool: "sleep", arguments: { ms: 60_000 }, options: { timeout: 1 } };
    const { result } = await client.request("tools/call", { name: "execute_tool", arguments: args });
    expect(JSON.parse(result?.content?.[0]?.text ?? "")).toMatchObject({
      error: { code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown" },
    });
  });

  it.each<[string, string, object, number]>([
    ["an unknown method", "no/such", {}, -32601],
    ["an unknown tool", "tools/call", { name: "echo" }, -32602],
    ["a call without a name", "tools/call", {}, -32602],
    ["an unknown resource", "resources/read", { uri: "anygpt://nothing" }, -32602],
  ])("answers %s with a protocol error", async (_, method, params, code) => {
    const client = serve();
    await client.open();
    expect((await client.request(method, params)).error?.code).toBe(code);
  });

  it.each<[string, string, string]>([
    ["search_tools", '{"query":"a","query":"b"}', "INVALID_REQUEST"],
    ["execute_tool", '{"server":"echo","tool":"pid","arguments":{"a":1,"a":2}}', "TOOL_VALIDATION_ERROR"],
    ["execute_tool", '{"server":"echo","tool":"crash","tool":"pid"}', "TOOL_VALIDATION_ERROR"],
    [
      "execute_tool",
      '{"server":"echo","tool":"pid","options":{"dry_run":true,"dry_run":false}}',
      "TOOL_VALIDATION_ERROR",
    ],
  ])("answers %s with the ambiguous arguments %s with an error result", async (name, args, code) => {
    const client = serve();
    await client.open();
    const { result } = await client.requestRaw("tools/call", `{"name":"${name}","arguments":${args}}`);
    expect(result?.isError).toBe(true);
    expect(JSON.parse(result?.content?.[0]?.text ?? "")).toMatchObject({ error: { code } });
  });

  it("serves the guide, tool definitions and templates as resources", async () => {
    const client = serve();
    await client.open();
    const read = async (uri: string) => (await client.request("resources/read", { uri })).result?.["contents"];
    expect(await read("anygpt://guide")).toEqual([
      { uri: "anygpt://guide", mimeType: "text/markdown", text: expect.stringContaining("search_tools") },
    ]);
    expect(await read("anygpt://tools/echo/add")).toEqual([
      expect.objectContaining({ text: expect.stringContaining("Adds two numbers.") }),
    ]);
    expect((await client.request("resources/read", { uri: "anygpt://tools/echo/ecko" })).error?.message).toContain(
      "Did you mean echo?",
    );
    expect((await client.request("resources/templates/list")).result?.["resourceTemplates"]).toHaveLength(3);
  });

  it("warns at the start about rules that can never take effect", async () => {
    const client = serve({
      servers: { echo: testServer("echo.mjs") },
      toolRules: [
        { pattern: "*", enabled: true },
        { pattern: "*crash*", enabled: false },
        { pattern: "nothing-like-it", tags: ["x"] },
      ],
    });
    await client.open();
    await client.request("tools/call", { name: "search_tools", arguments: { query: "add" } });
    const warned = (): string => client.logged.join("\n");
    await eventually(() => warned().includes("*crash*") && warned().includes("nothing-like-it"));
    expect(warned()).toContain("*crash*");
  });

  it("answers calls in flight before it stops", async () => {
    const client = serve();
    await client.open();
    await client.execute("pid", {});
    const call = client.execute("sleep", { ms: 100 });
    client.stop.abort();
    expect((await call).result?.content?.[0]?.text).toBe("slept 100");
    await client.served;
  });

  it("does not wait for the answer of a client that has disconnected", async () => {
    const servers = { echo: testServer("echo.mjs") };
    const client = serve({ servers, policy: { risk: [{ tools: "pid", risk: "destructive" }] } });
    await client.open({ elicitation: {} });
    const asked = new Promise<Message>((resolve) => (client.onrequest = resolve));
    const call = client.execute("pid", {});
    expect((await asked).method).toBe("elicitation/create");
    client.hangUp();
    expect(await isBefore(Promise.all([call, client.served]), 60_000)).toBe(true);
    expect((await call).result?.content?.[0]?.text).toContain("CONFIRMATION_REQUIRED");
  });

  it("ends when the client closes its output", async () => {
    const client = serve();
    await client.open();
    client.hangUp();
    await expect(client.served).resolves.toBeUndefined();
  });
});
