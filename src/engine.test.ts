import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../test/support/gateway.js";
import { catalogIn, recordsIn } from "../test/support/records.js";
import { DiscoveryEngine } from "./engine.js";
import { openEngine } from "./engine.js";
import type { EngineOptions } from "./gateway/engine-options.js";
import { DiscoveryError } from "./errors.js";
import type { AskPerson, Question } from "./model/call.js";

let folder: string;
let engines: DiscoveryEngine[];
let options: EngineOptions;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"));
  engines = [];
  options = { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder }, stateFolder: join(folder, "state") };
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const engineOn = (config: ConstructorParameters<typeof DiscoveryEngine>[0]) => {
  const engine = new DiscoveryEngine(config, options);
  engines.push(engine);
  return engine;
};
const echo = () => engineOn({ servers: { echo: { ...testServer("echo.mjs"), description: "Echoes" } } });

describe("DiscoveryEngine", () => {
  it("lists servers with their status and number of tools", async () => {
    const engine = echo();
    await engine.searchTools("echo");
    expect(await engine.listServers()).toEqual([
      { name: "echo", description: "Echoes", toolCount: 15, enabledCount: 15, status: "disconnected", known: true },
    ]);
  });

  it.each([
    [true, "right"],
    [false, "left"],
  ])("ranks a tool that was used higher, if search.usage is %j", async (usage, first) => {
    const server = testServer("echo.mjs");
    const engine = engineOn({ servers: { left: server, right: server }, search: { usage } });
    const find = async () => (await engine.search("add two numbers")).results[0];
    await engine.ready();
    expect(await find()).toMatchObject({ server: "left", tool: "add" });
    for (let call = 0; call < 3; call += 1) await engine.executeTool("right", "add", { a: 1, b: 2 });
    expect(await find()).toMatchObject({ server: first, tool: "add" });
  });

  it("searches, lists and describes tools", async () => {
    const engine = echo();
    const [best] = await engine.searchTools("add two numbers", { limit: 1 });
    expect(best).toMatchObject({ server: "echo", tool: "add", summary: "Adds two numbers." });
    expect((await engine.listTools("echo")).map(({ name }) => name)).toContain("sleep");
    expect(await engine.getToolDetails("echo", "add")).toMatchObject({
      name: "add",
      parameters: [
        { name: "a", type: "number", required: true },
        { name: "b", type: "number", required: true },
      ],
      inputSchema: { type: "object" },
    });
  });

  it.each<[string, unknown, unknown, string]>([
    ["no query", undefined, {}, "query: "],
    ["a number as the query", 42, {}, "query: "],
    ["an empty query", "", {}, "query: "],
    ["a very long query", "x".repeat(2001), {}, "query: "],
    ["a limit of 0", "echo", { limit: 0 }, "options.limit: "],
    ["a negative limit", "echo", { limit: -1 }, "options.limit: "],
    ["NaN as limit", "echo", { limit: Number.NaN }, "options.limit: "],
    ["a fraction as limit", "echo", { limit: 1.5 }, "options.limit: "],
    ["a limit over 50", "echo", { limit: 51 }, "options.limit: "],
    ["a number as server", "echo", { server: 1 }, "options.server: "],
    ["a number as options", "echo", 42, "options: "],
  ])("rejects a search with %s and names the allowed values", async (_name, query, given, problem) => {
    const searched = engineOn({ servers: {} }).searchTools(query as never, given as never);
    await expect(searched).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(`searchTools received invalid arguments: ${problem}`) as string,
      hint: expect.stringContaining("1 to 2,000 characters") as string,
    });
    await expect(searched).rejects.toBeInstanceOf(DiscoveryError);
  });

  it("accepts the maximum of every search option", async () => {
    const engine = echo();
    const edge = { limit: 50, server: "echo", includeDisabled: true, explain: true, unknown: 1 };
    const found = await engine.searchTools("add two numbers", edge);
    expect(found[0]).toMatchObject({ tool: "add", why: expect.any(Array) as unknown });
    expect(await engine.search("x".repeat(2000))).toMatchObject({ fit: "none", also: [] });
  });

  it("returns null for the details of a tool or server that does not exist", async () => {
    const engine = echo();
    expect(await engine.getToolDetails("echo", "nothing")).toBeNull();
    expect(await engine.getToolDetails("none", "add")).toBeNull();
  });

  it("executes a tool and returns its value", async () => {
    expect(await echo().executeTool("echo", "add", { a: 1, b: 2 })).toEqual({ success: true, result: { sum: 3 } });
  });

  it("starts a server once for its first call and the listing before it", async () => {
    const log: string[] = [];
    options = { ...options, log: (message) => log.push(message) };
    expect(await echo().executeTool("echo", "echo", { text: "hi" })).toMatchObject({ success: true });
    expect(log.filter((line) => line.startsWith("Starting"))).toEqual(["Starting echo."]);
  });

  it("returns every failure of a call as a result", async () => {
    const engine = echo();
    expect(await engine.executeTool("none", "x", {})).toMatchObject({
      success: false,
      error: { code: "SERVER_NOT_FOUND" },
    });
    expect(await engine.executeTool("echo", "add", { a: 1 })).toMatchObject({
      success: false,
      error: { code: "TOOL_VALIDATION_ERROR" },
    });
    expect(await engine.executeTool("echo", "fail", {})).toMatchObject({
      success: false,
      error: { code: "TOOL_EXECUTION_ERROR", message: "it did not work", executed: "yes" },
    });
  });

  it("streams progress, then the result", async () => {
    const kinds: string[] = [];
    for await (const event of echo().executeStream("echo", "sleep", { ms: 60, every: 15 })) kinds.push(event.kind);
    expect(kinds.length).toBeGreaterThan(2);
    expect(kinds.at(-1)).toBe("result");
    expect(new Set(kinds.slice(0, -1))).toEqual(new Set(["progress"]));
  });

  it("cancels the call when the loop over the stream ends early", async () => {
    const engine = echo();
    for await (const _ of engine.executeStream("echo", "sleep", { ms: 60_000, every: 10 })) break;
    expect(await engine.executeTool("echo", "cancelled", {})).toMatchObject({
      success: true,
      result: [expect.any(String)],
    });
  });

  it("rejects an invalid configuration at once, with all problems", () => {
    const wrong = { servers: { a: {} }, toolRules: [{ patern: "*" }] } as never;
    expect(() => new DiscoveryEngine(wrong)).toThrow(DiscoveryError);
  });

  it("applies the rules and the cache options of its configuration", async () => {
    const engine = engineOn({
      servers: { echo: testServer("echo.mjs") },
      toolRules: [{ pattern: "*a*", enabled: true, tags: ["a"] }],
      cache: { enabled: false },
    });
    const tools = await engine.listTools("echo");
    expect(tools.every(({ name, tags }) => name.includes("a") && tags.includes("a"))).toBe(true);
    expect(await engine.getConfig()).toMatchObject({ cache: { enabled: false, ttl: 3600 } });
    await engine.close();
    expect(catalogIn(join(folder, "state", "store.db"))).toEqual([]);
  });

  it("lists no servers if it is disabled", async () => {
    const engine = engineOn({ enabled: false, servers: { echo: testServer("echo.mjs") } });
    expect(await engine.listServers()).toEqual([]);
  });

  it("fails a call that cannot be recorded", async () => {
    await writeFile(join(folder, "in-the-way"), "");
    const engine = engineOn({
      servers: { echo: testServer("echo.mjs") },
      store: join(folder, "in-the-way", "store.db"),
    });
    expect(await engine.executeTool("echo", "add", { a: 1, b: 2 })).toMatchObject({
      success: false,
      error: { code: "AUDIT_UNAVAILABLE" },
    });
  });
});

describe("guarded execution", () => {
  const guarded = (mode: "auto" | "human") =>
    engineOn({
      servers: { echo: testServer("echo.mjs") },
      policy: { risk: [{ tools: "pid", risk: "destructive" }], confirmation: { mode } },
    });
  const refused = (code: string) => ({ success: false, error: { code } });

  it.each([
    ["accepted", { success: true }],
    ["declined", refused("POLICY_DENIED")],
    ["unanswered", refused("CONFIRMATION_REQUIRED")],
  ] as const)("asks the user of the program, who answers %s", async (answer, outcome) => {
    const asked: Question[] = [];
    const confirm: AskPerson = (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    expect(await guarded("human").executeTool("echo", "pid", { a: [1] }, { confirm })).toMatchObject(outcome);
    expect(asked).toMatchObject([
      { toolId: "echo:pid", risk: "destructive", riskOrigin: "policy.risk, entry 1", arguments: { a: [1] } },
    ]);
  });

  it("accepts the program's confirmation only for the second call, and only if the policy allows it", async () => {
    const engine = guarded("auto");
    const call = () => engine.executeTool("echo", "pid", {}, { confirmed: true });
    expect([await call(), await call(), await call()]).toMatchObject([
      refused("CONFIRMATION_REQUIRED"),
      { success: true },
      refused("CONFIRMATION_REQUIRED"),
    ]);
    const strict = guarded("human");
    await strict.executeTool("echo", "pid", { b: 1 }, { confirmed: true });
    expect(await strict.executeTool("echo", "pid", { b: 1 }, { confirmed: true })).toMatchObject(
      refused("CONFIRMATION_REQUIRED"),
    );
  });

  it("runs a call once per idempotency key, also as a stream", async () => {
    const engine = echo();
    const file = join(folder, "lines");
    const call = { file, line: "once" };
    const options = { idempotencyKey: "k-1" };
    expect(await engine.executeTool("echo", "append", call, options)).not.toHaveProperty("replayed");
    expect(await engine.executeTool("echo", "append", call, options)).toMatchObject({ success: true, replayed: true });
    for await (const event of engine.executeStream("echo", "append", call, options)) {
      expect(event).toMatchObject({ kind: "result", result: { success: true, replayed: true } });
    }
    expect(await readFile(file, "utf8")).toBe("once\n");
  });

  it("describes a call in a dry run without asking the user", async () => {
    const confirm = (): Promise<never> => Promise.reject(new Error("The user must not be asked."));
    expect(await guarded("human").executeTool("echo", "pid", {}, { dryRun: true, confirm })).toMatchObject({
      success: true,
      result: { dry_run: true, would: "ask_for_confirmation", tool: "echo:pid", risk: "destructive" },
    });
  });
});

describe("the lifecycle of an engine", () => {
  it("rejects calls after close", async () => {
    const engine = echo();
    await engine.close();
    expect(await engine.executeTool("echo", "pid", {})).toMatchObject({
      success: false,
      error: { code: "INVALID_REQUEST", message: "The engine has been closed." },
    });
    await expect(engine.searchTools("echo")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("loads the configuration again after a failure", async () => {
    const file = join(folder, "config.json");
    await writeFile(file, "{");
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    await expect(engine.listServers()).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
    await writeFile(file, JSON.stringify({ servers: { echo: testServer("echo.mjs") } }));
    expect(await engine.listServers()).toHaveLength(1);
  });

  it.each<[number, boolean, string[]]>([
    [0, false, ["echo"]],
    [1, false, []],
    [1, true, ["echo"]],
    [2, true, ["echo"]],
    [2, false, []],
  ])("started by %i other gateways, with an explicit configuration: %s, lists %j", async (depth, isExplicit, names) => {
    const file = join(folder, "anygpt.config.json");
    await writeFile(file, JSON.stringify({ discovery: { servers: { echo: testServer("echo.mjs") } } }));
    const env = { ...options.env, ...(depth > 0 ? { ANYGPT_DEPTH: String(depth) } : {}) };
    const engine = openEngine({ ...options, env, ...(isExplicit ? { configPath: file } : {}) });
    engines.push(engine);
    expect((await engine.listServers()).map(({ name }) => name)).toEqual(names);
  });

  it("does not start inside three other gateways", async () => {
    const engine = openEngine({ ...options, env: { ...options.env, ANYGPT_DEPTH: "3" }, configPath: "config.json" });
    engines.push(engine);
    await expect(engine.listServers()).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: "This gateway was started by a chain of 3 other gateways.",
    });
  });

  it("passes the nesting depth to its servers", async () => {
    const { result } = (await echo().executeTool("echo", "env", {})) as { result: Record<string, string> };
    expect(result["ANYGPT_DEPTH"]).toBe("1");
  });

  it.each(["", "~/elsewhere"])("resolves ANYGPT_HOME=%j to a folder in the home folder", async (value) => {
    const { stateFolder: _none, ...rest } = options;
    const engine = new DiscoveryEngine(
      { servers: { echo: testServer("echo.mjs") } },
      { ...rest, env: { ...options.env, ANYGPT_HOME: value } },
    );
    engines.push(engine);
    await engine.executeTool("echo", "pid", {});
    const records = await recordsIn(join(folder, value === "" ? ".anygpt" : "elsewhere", "store.db"));
    expect(records).toMatchObject([{ kind: "outcome", tool_id: "echo:pid" }]);
  });
});
