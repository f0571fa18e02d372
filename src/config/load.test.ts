import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { loadConfig, parseConfig, type LoadParts } from "./load.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "load-config-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function load(parts: Partial<LoadParts> = {}) {
  mkdirSync(join(root, "project"), { recursive: true });
  const home = join(root, "home");
  return loadConfig({ cwd: join(root, "project"), home, anygptHome: join(home, ".anygpt"), env: {}, ...parts });
}

/** A configuration that is identified by its time to live. */
const bare = (ttl: number) => `{ "cache": { "ttl": ${ttl} } }`;
const wrapped = (ttl: number) => `{ "discovery": ${bare(ttl)}, "providers": {} }`;

const PROJECT = "project/.anygpt/mcp-discovery.config.json";
const SHARED = "project/anygpt.config.json";
const HOME = "home/.anygpt/mcp-discovery.config.json";

describe("loadConfig searches in order and", () => {
  it.each<[string, Record<string, string>, Partial<LoadParts>, number]>([
    ["defaults when there is nothing", {}, {}, 3600],
    ["the home folder", { [HOME]: bare(4) }, {}, 4],
    ["the shared file before the home folder", { [SHARED]: wrapped(3), [HOME]: bare(4) }, {}, 3],
    ["the home folder when the shared file has no section", { [SHARED]: "{}", [HOME]: bare(4) }, {}, 4],
    ["defaults when the shared file has no section", { [SHARED]: `{ "cache": 5 }` }, {}, 3600],
    ["the project's file first", { [PROJECT]: bare(2), [SHARED]: wrapped(3), [HOME]: bare(4) }, {}, 2],
    [
      "ts before json",
      { [PROJECT]: bare(2), "project/.anygpt/mcp-discovery.config.ts": "export default { cache: { ttl: 7 } };" },
      {},
      7,
    ],
    ["json before yaml", { [PROJECT]: bare(2), "project/.anygpt/mcp-discovery.config.yaml": "cache: {ttl: 9}" }, {}, 2],
    ["yml too", { "project/.anygpt/mcp-discovery.config.yml": "cache: {ttl: 9}" }, {}, 9],
    [
      "a shared yaml with a section after a shared json without",
      { [SHARED]: "{}", "project/anygpt.config.yaml": "discovery: {cache: {ttl: 9}}" },
      {},
      9,
    ],
    [
      "the file in ANYGPT_CONFIG before all",
      { [PROJECT]: bare(2), "project/x.json": bare(1) },
      { env: { ANYGPT_CONFIG: "x.json" } },
      1,
    ],
    [
      "the named file before ANYGPT_CONFIG",
      { "project/x.json": bare(1), "project/y.json": bare(0) },
      { env: { ANYGPT_CONFIG: "x.json" }, path: "y.json" },
      0,
    ],
    ["no file for an empty ANYGPT_CONFIG", { [PROJECT]: bare(2) }, { env: { ANYGPT_CONFIG: "" } }, 2],
    ["a named file in the home folder", { "home/x.jsonc": bare(1) }, { path: "~/x.jsonc" }, 1],
    ["a wrapper in the project's file", { [PROJECT]: `{ "$schema": "x", "discovery": ${bare(2)} }` }, {}, 2],
    ["a wrapper next to other sections in a named file", { "project/x.json": wrapped(1) }, { path: "x.json" }, 1],
  ])("uses %s", async (_, files, parts, ttl) => {
    write(files);
    expect((await load(parts)).config.cache.ttl).toBe(ttl);
  });

  it("reports the used file and the ignored files", async () => {
    write({ [PROJECT]: bare(2), "project/.anygpt/mcp-discovery.config.yaml": "{}" });
    const loaded = await load();
    expect(loaded.file).toBe(join(root, PROJECT));
    expect(loaded.baseDir).toBe(join(root, "project/.anygpt"));
    expect(loaded.notices).toEqual([
      `${join(root, "project/.anygpt/mcp-discovery.config.yaml")} is ignored, because ${join(root, PROJECT)} takes precedence.`,
    ]);
  });

  it("uses the working folder as base for the defaults", async () => {
    expect(await load()).toMatchObject({ baseDir: join(root, "project"), notices: [] });
    expect(await load()).not.toHaveProperty("file");
  });
});

describe("loadConfig rejects", () => {
  it.each<[string, Record<string, string>, Partial<LoadParts>, string]>([
    ["a named file that does not exist", {}, { path: "gone.json" }, "gone.json does not exist."],
    [
      "a named shared file without a section",
      { [SHARED]: "{}" },
      { path: "anygpt.config.json" },
      "anygpt.config.json:1:1: discovery: is missing.",
    ],
    [
      "keys next to the wrapper in the project's file",
      { [PROJECT]: `{ "discovery": {}, "cache": {} }` },
      {},
      "config.json:1:20: cache: must be inside `discovery`, because the file has that section.",
    ],
    ["a broken shared file", { [SHARED]: "{" }, {}, "anygpt.config.json:1:2: expected a closing brace."],
    [
      "an unknown extension",
      { "project/x.toml": "" },
      { path: "x.toml" },
      "x.toml: has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml.",
    ],
    ["a folder", { "project/x.json/y": "" }, { path: "x.json" }, "x.json: is not a regular file."],
  ])("%s", async (_, files, parts, ending) => {
    write(files);
    const error = await failure(load(parts));
    expect(error.code).toBe("CONFIGURATION_ERROR");
    expect(error.message).toMatch(/^\//);
    expect(error.message.endsWith(ending) ? ending : error.message).toBe(ending);
    expect(error.facts["problems"]).toHaveLength(1);
  });

  it("an invalid file with all problems in one error, in the order of the file", async () => {
    write({
      [PROJECT]: [
        "{",
        '  "tolRules": [],',
        '  "cache": { "ttl": "long" },',
        '  "servers": [{ "name": "a", "comand": "x", "url": "http://x" }]',
        "}",
      ].join("\n"),
    });
    const { message, facts } = await failure(load());
    const file = join(root, PROJECT);
    expect(facts["problems"]).toEqual([
      { file, path: "tolRules", line: 2, column: 3, reason: 'is not a known key; did you mean "toolRules"?' },
      { file, path: "cache.ttl", line: 3, column: 14, reason: "must be a number, not text" },
      { file, path: "servers[0].comand", line: 4, column: 30, reason: 'is not a known key; did you mean "command"?' },
    ]);
    expect(message.startsWith(`${file} has 3 problems: 2:3: tolRules: is not`)).toBe(true);
  });

  it("many problems with a shortened list in the message and all in the facts", async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `"unknown${index}": 1`);
    write({ [PROJECT]: `{ ${keys.join(", ")} }` });
    const { message, facts } = await failure(load());
    expect(message).toMatch(/has 12 problems: .*; and 7 more\.$/);
    expect(facts["problems"]).toHaveLength(12);
  });
});

describe("loadConfig", () => {
  it("lists patterns that do not compile together with all other problems, with positions", async () => {
    write({
      "project/x.yaml": [
        "discovery:",
        "  toolRules:",
        "    - pattern: ['*ok*', '[a']",
        "    - {pattern: '/(?=x)/', enabld: true}",
        "    - {server: '{b', enabled: true}",
        "  cache: {ttl: long}",
      ].join("\n"),
    });
    const { facts } = await failure(load({ path: "x.yaml" }));
    const places = (facts["problems"] as { path: string; line: number; column: number; reason: string }[]).map(
      ({ path, line, column, reason }) => `${line}:${column} ${path}: ${reason}`,
    );
    expect(places).toEqual([
      '3:25 discovery.toolRules[0].pattern[1]: The glob "[a" has an unclosed "[".',
      "4:8 discovery.toolRules[1].pattern: The regex /(?=x)/ uses lookahead or lookbehind, which RE2 does not support.",
      '4:28 discovery.toolRules[1].enabld: is not a known key; did you mean "enabled"?',
      '5:8 discovery.toolRules[2].server: The glob "{b" has an unclosed "{".',
      "6:11 discovery.cache.ttl: must be a number, not text",
    ]);
  });

  it.each([
    ["x.json", ""],
    ["x.jsonc", "// nothing\n/* yet\n*/ \n"],
    ["x.yaml", "\n"],
    ["x.yml", "---\n# servers:\n...\n"],
  ])("rejects the empty %s, which an editor may leave while it saves", async (name, text) => {
    write({ [`project/${name}`]: text });
    await expect(load({ path: name })).rejects.toThrow(name);
  });

  it("treats an empty section as an empty configuration", async () => {
    write({ "project/x.yaml": "discovery:\n" });
    expect((await load({ path: "x.yaml" })).config).toEqual(parseConfig({ sources: "all" }));
  });

  it.each(["", "discovery:\n"])("ignores sections without content, below %j", async (wrapper) => {
    const keys = [
      "enabled",
      "servers",
      "sources",
      "toolRules",
      "search",
      "cache",
      "policy",
      "audit",
      "store",
      "upstreams",
      "execution",
      "results",
    ];
    write({ "project/x.yaml": wrapper + keys.map((key) => `${wrapper === "" ? "" : "  "}${key}:`).join("\n") });
    expect((await load({ path: "x.yaml" })).config).toEqual(parseConfig({ sources: "all" }));
  });

  it.each([
    ["serverz:", { path: "serverz" }],
    ["cache: {ttl: }", { path: "cache.ttl" }],
  ])("does not ignore %j", async (text, problem) => {
    write({ "project/x.yaml": text });
    expect((await failure(load({ path: "x.yaml" }))).facts["problems"]).toMatchObject([problem]);
  });

  it.each([
    ["~/state/a.db", "home/state/a.db"],
    ["state/a.db", "project/.anygpt/state/a.db"],
    ["/var/a.db", undefined],
  ])("makes the store %s absolute", async (store, expected) => {
    write({ [PROJECT]: JSON.stringify({ store }) });
    const { config } = await load();
    expect(config.store).toBe(expected === undefined ? store : join(root, expected));
    expect(Object.isFrozen(config.audit)).toBe(true);
  });

  it("rejects a variable in the path of the store, because it is never expanded", async () => {
    write({ [PROJECT]: '{ "store": "${HOME}/a" }' });
    expect((await failure(load())).message).toContain("1:3: store: variables are not expanded in this option");
  });
});

describe("the environment", () => {
  it.each<[string, string, Record<string, string>, object]>([
    [
      "sets keys that no file sets",
      "{}",
      { MCP_DEFAULT_LIMIT: "3" },
      { limit: 3, minRelevance: 0, semantic: true, usage: true, suggestions: true },
    ],
    [
      "sets the missing keys of a section",
      '{ "search": { "limit": 7 } }',
      { MCP_DEFAULT_LIMIT: "3", MCP_SEARCH_MIN_CONFIDENCE: " 0.5 " },
      { limit: 7, minRelevance: 0.5, semantic: true, usage: true, suggestions: true },
    ],
    [
      "sets the keys of an empty section",
      '{ "search": null }',
      { MCP_SEARCH_MIN_CONFIDENCE: "1" },
      { limit: 10, minRelevance: 1, semantic: true, usage: true, suggestions: true },
    ],
    [
      "may be empty",
      "{}",
      { MCP_DEFAULT_LIMIT: "", MCP_SEARCH_MIN_CONFIDENCE: " " },
      { limit: 10, minRelevance: 0, semantic: true, usage: true, suggestions: true },
    ],
  ])("%s", async (_, text, env, search) => {
    write({ [PROJECT]: text });
    expect((await load({ env })).config.search).toEqual(search);
  });

  it("is used if there is no file", async () => {
    expect((await load({ env: { MCP_DEFAULT_LIMIT: "3" } })).config.search.limit).toBe(3);
  });
});

describe("parseConfig", () => {
  it("fills in every default and freezes the result", () => {
    const config = parseConfig({ servers: [{ name: "a", command: "x", args: ["y"] }] });
    expect(config).toMatchObject({ enabled: true, sources: [], toolRules: [], cache: { enabled: true, ttl: 3600 } });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.servers[0]?.args)).toBe(true);
  });

  it("does not freeze or keep its argument", () => {
    const inputSchema = { type: "object" };
    const config = parseConfig({ servers: [{ name: "a", command: "x", tools: [{ name: "t", inputSchema }] }] });
    expect(Object.isFrozen(inputSchema)).toBe(false);
    expect(config.servers[0]?.tools?.[0]?.inputSchema).not.toBe(inputSchema);
  });

  it("accepts a map of servers and the section discovery", () => {
    const { servers } = parseConfig({ discovery: { servers: { b: { url: "http://x", name: "Title" } } } });
    expect(servers).toEqual([{ name: "b", url: "http://x", enabled: true, description: "Title" }]);
  });

  it("names the origin in its error", async () => {
    const error = await failure(Promise.resolve().then(() => parseConfig({ enabld: true }, "options")));
    expect(error.message).toBe('options: enabld: is not a known key; did you mean "enabled"?');
    const other = await failure(Promise.resolve().then(() => parseConfig({ enabled: new Map() })));
    expect(other.message).toBe("The configuration: enabled: must be plain data, not an instance of a class.");
  });
});

describe("servers without a working folder start", () => {
  it.each<[string, string, string, Partial<LoadParts>]>([
    ["in the home folder for the user's configuration", HOME, "home", {}],
    ["in the project for the project's configuration", PROJECT, "project", {}],
    ["in the project for the shared configuration", SHARED, "project", {}],
    [
      "in the folder of a configuration that the user named",
      "project/sub/c.json",
      "project/sub",
      { path: "sub/c.json" },
    ],
  ])("%s", async (_, file, folder, parts) => {
    write({ [file]: wrapped(1).replace(', "providers": {}', "") });
    expect((await load(parts)).startDir).toBe(join(root, folder));
  });
});

describe("the sources of a file with", () => {
  it.each([
    ["only rules and a cache", "toolRules: []\ncache: { ttl: 5 }", "all", true],
    ["`sources: all`", "sources: all", "all", false],
    ["`sources: all` next to servers", "servers: { a: { command: a } }\nsources: all", "all", false],
    ["servers", "servers: { a: { command: a } }", [], false],
    ["no servers, explicitly", "servers: {}", [], false],
    ["servers under the name mcpServers", "mcpServers: { a: { command: a } }", [], false],
    ["no sources, explicitly", "sources: []", [], false],
    ["adapters", "adapters: { a: { document: a.json } }", [], false],
    ["tool files", "toolFiles: { enabled: true }", [], false],
  ])("%s", async (_name, text, sources, isImplicit) => {
    write({ "project/x.yaml": text });
    const loaded = await load({ path: "x.yaml" });
    expect([loaded.config.sources, loaded.isImplicit]).toEqual([sources, isImplicit]);
  });

  it("no file are all clients", async () => {
    const loaded = await load();
    expect([loaded.config.sources, loaded.isImplicit]).toEqual(["all", true]);
  });

  it("no servers are none if another gateway started this one", async () => {
    write({ "project/x.yaml": "cache: { ttl: 5 }" });
    const loaded = await load({ path: "x.yaml", isNested: true });
    expect([loaded.config.sources, loaded.isImplicit]).toEqual([[], false]);
  });

  it("no servers are none if a program passes the configuration", () => {
    expect(parseConfig({ cache: { ttl: 5 } }).sources).toEqual([]);
  });
});

it("names the key that replaces a key of an earlier version", async () => {
  write({ "project/x.yaml": "execution:\n  keepResultsMs: 5000\n  timeoutMs: 5000\n" });
  expect((await failure(load({ path: "x.yaml" }))).message).toMatch(
    /x\.yaml:2:3: execution\.keepResultsMs: was replaced by `results\.keepMs`\.$/,
  );
});

describe("mcpServers", () => {
  it("means the same as servers, with its own positions", async () => {
    write({ "project/x.json": '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}' });
    const loaded = await load({ path: "x.json" });
    expect(loaded.config.servers).toMatchObject([{ name: "a", command: "a" }]);
    expect(loaded.config).not.toHaveProperty("mcpServers");
    expect(loaded.positionOf(["servers", "a"])).toEqual({ line: 3, column: 5 });
  });

  it("is rejected together with servers, and the error names both", async () => {
    write({ "project/x.yaml": "servers: {}\nmcpServers: {}\n" });
    expect((await failure(load({ path: "x.yaml" }))).message).toMatch(
      /x\.yaml:2:1: mcpServers: means the same as `servers`, which the configuration has too; keep one of them\.$/,
    );
  });

  it("is the key that problems name", async () => {
    write({ "project/x.yaml": "mcpServers: { a: { comand: x } }\n" });
    expect((await failure(load({ path: "x.yaml" }))).message).toMatch(/mcpServers\.a/);
  });
});
