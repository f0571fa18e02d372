import { describe, expect, it } from "vitest";
import { createCatalog } from "../catalog/catalog.js";
import { createCatalogLookup } from "../catalog/lookup.js";
import { createRefresh } from "../catalog/refresh.js";
import { DiscoveryError } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { JsonObject } from "../model/json.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { searchOptions } from "../search/options.js";
import { createDiscovery } from "./discovery.js";
import { discoveryProfile } from "./discovery-profile.js";
import type { Call, CallContext } from "../model/call.js";

const tool = (name: string, description: string, properties: JsonObject = {}): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties },
});
const listing = (tools: ToolDefinition[]): ServerListing => ({ tools, dropped: [], truncated: false, era: "legacy" });
const server = (name: string, description?: string): ServerDefinition => ({
  name,
  ...(description === undefined ? {} : { description }),
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: [],
  origin: "inline",
});

/** The five meta-tools over servers whose tools are known; no server is started. */
async function setUp(
  servers: [ServerDefinition, ToolDefinition[] | DiscoveryError][],
  options: { search?: object; decide?: (tool: { name: string }) => { enabled: boolean; tags: string[] } } = {},
) {
  const decide = options.decide ?? (() => ({ enabled: true, tags: [] }));
  const never = () => Promise.reject(new DiscoveryError("SERVER_CONNECTION_ERROR", "Not called in this test."));
  const quiet = { now: () => 1000, elapsed: () => 0, log: () => undefined };
  const catalog = createCatalog({ definitions: servers.map(([one]) => one), decide, disk: undefined, ...quiet });
  for (const [{ name }, known] of servers) {
    if (known instanceof DiscoveryError) await catalog.fail(name, known, 1);
    else await catalog.learn(name, listing(known));
  }
  const refresh = createRefresh({
    catalog,
    list: never,
    isProcessActive: () => undefined,
    isInstalling: () => false,
    ttlMs: 3_600_000,
    ...quiet,
  });
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled: true, ttlMs: 3_600_000, now: quiet.now });
  const { snapshot } = catalog;
  const discovery = createDiscovery({ snapshot, lookup, refresh, options: searchOptions.parse(options.search ?? {}) });
  const calls: Call[] = [];
  const metaTools = discoveryProfile({
    discovery,
    upstreamState: () => ({ kind: "closed" }),
    execute: (call) => {
      calls.push(call);
      return Promise.resolve({ content: [] });
    },
  });
  const run = async (name: string, args: unknown, more: Partial<CallContext> = {}): Promise<JsonObject> => {
    const context = { actor: localActor("mcp"), ...more };
    const answer = await metaTools.find((one) => one.name === name)!.run(args, context);
    return answer.kind === "data" ? answer.data : { ...answer.result };
  };
  return { run, metaTools, calls };
}

const FILES = Array.from({ length: 12 }, (_, n) => tool(`read_file_${n}`, "Read a file."));

describe("search_tools", () => {
  it("returns at most the configured number of hits, unless the caller passes a limit", async () => {
    const { run } = await setUp([[server("fs"), FILES]], { search: { limit: 3 } });
    expect(await run("search_tools", { query: "read a file" })).toMatchObject({
      results: { length: 3 },
      also: { fs: { length: 9 } },
    });
    expect(await run("search_tools", { query: "read a file", limit: 5 })).toMatchObject({ results: { length: 5 } });
  });

  it("omits hits below the configured relevance", async () => {
    const tools = [tool("convert_units", "Convert meters to feet.")];
    const query = "convert meters and yards";
    const lax = await setUp([[server("a"), tools]], { search: { minRelevance: 0 } });
    const strict = await setUp([[server("a"), tools]], { search: { minRelevance: 0.99 } });
    expect((await lax.run("search_tools", { query }))["results"]).toHaveLength(1);
    expect(await strict.run("search_tools", { query })).toEqual({
      fit: "none",
      results: [],
      note: "No tool fits. Search with other words. Call list_mcp_servers to see all servers.",
    });
  });

  it("lists the closest tools with a note if no tool fits", async () => {
    const { run } = await setUp([[server("a"), [tool("convert_units", "Convert meters to feet.")]]]);
    expect(await run("search_tools", { query: "xyzzy plugh" })).toEqual({
      fit: "none",
      results: [{ server: "a", tool: "convert_units", summary: "Convert meters to feet." }],
      note: "No tool fits well; these are the closest. Search with other words.",
    });
    expect(await run("search_tools", { query: "xyzzy plugh", server: "a" })).toMatchObject({ fit: "unsure" });
  });

  it("states that a product is not in the catalog", async () => {
    const { run } = await setUp([[server("line"), [tool("send_message", "Send a message.")]]]);
    expect(await run("search_tools", { query: "send a WhatsApp message" })).toMatchObject({
      results: [{ tool: "send_message" }],
      note: expect.stringContaining("Nothing here is WhatsApp.") as string,
    });
  });

  it("lists no built-in tool as the closest, and explains how to add a server if there is none", async () => {
    const own: ServerDefinition = { ...server("anygpt"), connection: { kind: "built-in" } };
    const { run } = await setUp([[own, [tool("mcp_discover", "Convert a server to files.")]]]);
    const { note, results } = await run("search_tools", { query: "xyzzy plugh" });
    expect(note).toMatch(/^No tool fits: No server is configured\. .*`anygpt mcp find WORDS`.*`anygpt mcp add`/u);
    expect(results).toEqual([]);
  });

  it("finds tools by the tags of rules and by the description of the server", async () => {
    const { run } = await setUp(
      [
        [server("x", "Payments and invoices"), [tool("run", "Does it.")]],
        [server("y"), [tool("go", "Does it.")]],
      ],
      {
        search: { minRelevance: 0 },
        decide: ({ name }) => ({ enabled: true, tags: name === "go" ? ["astronomy"] : [] }),
      },
    );
    expect(await run("search_tools", { query: "invoices" })).toMatchObject({ results: [{ server: "x" }] });
    expect(await run("search_tools", { query: "astronomy" })).toMatchObject({
      results: [{ server: "y", tags: ["astronomy"] }],
    });
  });

  it("adds the parameters to the first three hits if they are short", async () => {
    const path = { path: { type: "string" } };
    const files = ["read_file", "read_old_file", "read_new_file", "read_any_file"];
    const short = await setUp([[server("fs"), files.map((name) => tool(name, "Read a file.", path))]]);
    const { results } = await short.run("search_tools", { query: "read file" });
    expect((results as { signature?: string }[]).map(({ signature }) => signature)).toEqual([
      "(path?: string)",
      "(path?: string)",
      "(path?: string)",
      undefined,
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`parameter_${n}`, { type: "string" }]));
    const long = await setUp([[server("fs"), [tool("read_file", "Read a file.", many)]]]);
    expect((await long.run("search_tools", { query: "read file" }))["results"]).toEqual([
      expect.not.objectContaining({ signature: expect.anything() }),
    ]);
  });

  it("does not find a disabled tool", async () => {
    const { run } = await setUp([[server("fs"), FILES]], { decide: () => ({ enabled: false, tags: [] }) });
    expect((await run("search_tools", { query: "read a file" }))["results"]).toEqual([]);
  });
});

describe("list_mcp_servers", () => {
  const failure = new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    `It is broken ${"because of many things ".repeat(20)}.`,
  );

  it("describes the servers and states why one failed", async () => {
    const { run } = await setUp([
      [server("fs", "Files"), FILES],
      [server("bad"), failure],
    ]);
    expect(await run("list_mcp_servers", {})).toEqual({
      servers: [
        { name: "fs", description: "Files", toolCount: 12 },
        { name: "bad", status: "error", reason: failure.message },
      ],
    });
  });

  it("omits descriptions of many servers, and lists 100 servers on a page", async () => {
    const { run } = await setUp(Array.from({ length: 230 }, (_, n) => [server(`s${n}`, "Something"), failure]));
    const answer = await run("list_mcp_servers", {});
    expect(answer["servers"]).toHaveLength(100);
    expect(answer["total"]).toBe(230);
    const second = await run("list_mcp_servers", { cursor: answer["next_cursor"] });
    const third = await run("list_mcp_servers", { cursor: second["next_cursor"] });
    expect(third).not.toHaveProperty("next_cursor");
    const names = [answer, second, third]
      .flatMap(({ servers }) => servers as { name: string }[])
      .map((one) => one.name);
    expect(new Set(names).size).toBe(230);
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    expect(JSON.stringify(answer)).not.toContain("Something");
  });
});

describe("list_tools", () => {
  it("states how many tools the rules disable", async () => {
    const decide = ({ name }: { name: string }) => ({ enabled: name === "read_file_1", tags: [] });
    const { run } = await setUp([[server("fs"), FILES]], { decide });
    const listed = { name: "read_file_1", summary: "Read a file." };
    expect(await run("list_tools", { server: "fs" })).toEqual({ server: "fs", tools: [listed], disabled: 11 });
    const all = await run("list_tools", { server: "fs", includeDisabled: true });
    expect(all["tools"]).toHaveLength(12);
    expect(all).not.toHaveProperty("disabled");
  });
});

describe("get_tool_details", () => {
  it("states that a tool is disabled", async () => {
    const { run } = await setUp([[server("fs"), FILES]], { decide: () => ({ enabled: false, tags: [] }) });
    expect(await run("get_tool_details", { server: "fs", tool: "read_file_1" })).toMatchObject({ enabled: false });
  });

  it("accepts the id of a tool as its name", async () => {
    const { run } = await setUp([[server("fs"), FILES]]);
    expect(await run("get_tool_details", { server: "fs", tool: "fs:read_file_1" })).toMatchObject({
      tool: "read_file_1",
    });
  });
});

describe("execute_tool", () => {
  it("accepts a call without arguments, although its schema requires them", async () => {
    const { run, calls, metaTools } = await setUp([[server("fs"), FILES]]);
    await run("execute_tool", { server: "fs", tool: "read_file_1" });
    expect(calls).toMatchObject([
      { context: { actor: { id: "local", surface: "mcp" } }, server: "fs", tool: "read_file_1", arguments: {} },
    ]);
    expect(metaTools.at(-1)?.inputSchema["required"]).toEqual(["server", "tool", "arguments"]);
  });

  it("passes the options of a call to the executor", async () => {
    const { run, calls } = await setUp([[server("fs"), FILES]]);
    const ask = () => Promise.resolve("declined" as const);
    const options = {
      timeout: 2,
      idempotency_key: "k-1",
      confirmed: true,
      dry_run: true,
      select: "a",
      max_tokens: 300,
    };
    const flaws = [{ path: "/params/arguments/arguments/a", message: "occurs twice" }];
    const meta = { "example.com/trace": "t" };
    await run("execute_tool", { server: "fs", tool: "x", arguments: { a: 1 }, options }, { ask, flaws, meta });
    expect(calls).toEqual([
      {
        context: { actor: { id: "local", surface: "mcp" }, ask, flaws, meta },
        server: "fs",
        tool: "x",
        arguments: { a: 1 },
        timeoutMs: 2000,
        idempotencyKey: "k-1",
        confirmed: true,
        dryRun: true,
        select: "a",
        maxTokens: 300,
        describeReading: expect.any(Function) as unknown,
      },
    ]);
    expect(calls[0]?.describeReading?.({ result: "r1", page: 2 })).toBe(
      'execute_tool {"server":"anygpt","tool":"read_result","arguments":{"result":"r1","page":2}}',
    );
  });

  it.each<[string, JsonObject, object]>([
    ["without other members", { "anygpt/idempotencyKey": "k" }, {}],
    ["with other members", { "anygpt/idempotencyKey": "k", a: 1 }, {}],
    ["with the same key as an option", { "anygpt/idempotencyKey": "k" }, { idempotency_key: "k" }],
  ])("reads the idempotency key from the metadata %s", async (_, meta, options) => {
    const { run, calls } = await setUp([[server("fs"), FILES]]);
    await run("execute_tool", { server: "fs", tool: "x", options }, { meta });
    const context = { actor: { id: "local", surface: "mcp" }, meta };
    expect(calls).toMatchObject([{ context, server: "fs", tool: "x", arguments: {}, idempotencyKey: "k" }]);
  });

  it.each<[string, unknown, object]>([
    ["different from the option", "k-2", { idempotency_key: "k-1" }],
    ["empty", "", {}],
    ["a number", 5, {}],
    ["null", null, {}],
    ["a string with spaces", "a b", {}],
  ])("rejects a key in the metadata that is %s", async (_, key, options) => {
    const { run, calls } = await setUp([[server("fs"), FILES]]);
    const meta = { "anygpt/idempotencyKey": key };
    await expect(run("execute_tool", { server: "fs", tool: "x", options }, { meta })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("anygpt/idempotencyKey"),
    });
    expect(calls).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ server: "fs" }, "tool"],
    [{ server: "fs", tool: "x", options: { timeout: 0 } }, "timeout"],
    [{ server: "fs", tool: "x", options: { max_tokens: 10 } }, "expected 0 or a whole number from 200"],
    [{ server: "fs", tool: "x", options: { idempotency_key: "" } }, "1 to 255 visible ASCII"],
    [{ server: "fs", tool: "x", options: { idempotency_key: "a b" } }, "1 to 255 visible ASCII"],
    [{ server: "fs", tool: "x", options: { idempotency_key: "k\n" } }, "1 to 255 visible ASCII"],
    [{ server: "fs", tool: "x", options: { idempotency_key: "k".repeat(256) } }, "1 to 255 visible ASCII"],
    [{ server: "fs", tool: "x", options: { confirmed: "yes" } }, "confirmed"],
    [{ server: "fs", tool: "x", options: { dry_run: 1 } }, "dry_run"],
    [{ server: "fs", tool: "x", unknown: 1 }, "unknown"],
    ["text", "object"],
    [null, "server"],
  ])("rejects %j and names %s", async (args, named) => {
    const { run } = await setUp([[server("fs"), FILES]]);
    await expect(run("execute_tool", args)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(named),
    });
  });
});

describe("ambiguous arguments", () => {
  it.each<[string, object]>([
    ["list_mcp_servers", {}],
    ["search_tools", { query: "read" }],
    ["list_tools", { server: "fs" }],
    ["get_tool_details", { server: "fs", tool: "read_file_1" }],
  ])("are rejected by %s, which names them", async (name, args) => {
    const { run } = await setUp([[server("fs"), FILES]]);
    const flaws = [{ path: "/params/arguments/server", message: "occurs twice" }];
    await expect(run(name, args, { flaws })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      facts: { problems: ["/params/arguments/server occurs twice"] },
    });
  });
});
