import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { findProjectConfigs } from "./project-files.js";
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

/** A configuration that can be told by its time to live. */
const bare = (ttl: number) => `{ "cache": { "ttl": ${ttl} } }`;
const wrapped = (ttl: number) => `{ "discovery": ${bare(ttl)}, "providers": {} }`;

const PROJECT = "project/.anygpt/mcp-discovery.config.json";
const SHARED = "project/anygpt.config.json";
const HOME = "home/.anygpt/mcp-discovery.config.json";

describe("loadConfig looks in order", () => {
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
    ["a wrapper beside other sections in a named file", { "project/x.json": wrapped(1) }, { path: "x.json" }, 1],
  ])("and takes %s", async (_, files, parts, ttl) => {
    write(files);
    expect((await load(parts)).config.cache.ttl).toBe(ttl);
  });

  it("and tells which file it took and which it ignored", async () => {
    write({ [PROJECT]: bare(2), "project/.anygpt/mcp-discovery.config.yaml": "{}" });
    const loaded = await load();
    expect(loaded.file).toBe(join(root, PROJECT));
    expect(loaded.baseDir).toBe(join(root, "project/.anygpt"));
    expect(loaded.notices).toEqual([
      `${join(root, "project/.anygpt/mcp-discovery.config.yaml")} is ignored, because ${join(root, PROJECT)} comes first.`,
    ]);
  });

  it("and has no file and the working folder as base for the defaults", async () => {
    expect(await load()).toMatchObject({ baseDir: join(root, "project"), notices: [] });
    expect(await load()).not.toHaveProperty("file");
  });
});

describe("loadConfig trusts", () => {
  const none = () => false;
  const seen = (expected: string) => (_: string, content: Uint8Array) => Buffer.from(content).toString() === expected;

  it.each<[string, Record<string, string>, Partial<LoadParts>, number, string[]]>([
    ["no file of the project", { [PROJECT]: bare(2), [SHARED]: wrapped(3), [HOME]: bare(4) }, {}, 4, [PROJECT, SHARED]],
    ["not the project's, and has defaults then", { [PROJECT]: bare(2) }, {}, 3600, [PROJECT]],
    [
      "the one whose content it knows",
      { [PROJECT]: bare(2), [SHARED]: wrapped(3) },
      { isTrusted: seen(wrapped(3)) },
      3,
      [PROJECT],
    ],
    ["a file that is named", { "project/x.json": bare(1) }, { path: "x.json" }, 1, []],
    ["the person's own", { [HOME]: bare(4) }, {}, 4, []],
    ["a folder that is the home", { [PROJECT]: bare(2) }, { home: "project" }, 2, []],
    ["the state folder wherever it lies", { [PROJECT]: bare(2) }, { anygptHome: "project/.anygpt" }, 2, []],
    [
      "what it cannot read not either",
      { "project/.anygpt/mcp-discovery.config.json/x": "", [HOME]: bare(4) },
      {},
      4,
      [PROJECT],
    ],
    ["and ignores a shared file without a section", { [SHARED]: "{}", [HOME]: bare(4) }, {}, 4, []],
  ])("%s", async (_, files, parts, ttl, untrusted) => {
    write(files);
    const places = Object.fromEntries(
      Object.entries(parts).map(([key, value]) => [
        key,
        key.endsWith("ome") && typeof value === "string" ? join(root, value) : value,
      ]),
    );
    const loaded = await load({ isTrusted: none, ...places });
    expect(loaded.config.cache.ttl).toBe(ttl);
    expect(loaded.untrusted).toEqual(untrusted.map((file) => join(root, file)));
  });

  it("the very text that it was asked about, whatever the file holds by then", async () => {
    const file = join(root, "project/.anygpt/mcp-discovery.config.mjs");
    const text = (ttl: number) => `export default { cache: { ttl: ${ttl} } };`;
    for (const [name, good, bad] of [
      [PROJECT, bare(2), bare(9)],
      ["project/.anygpt/mcp-discovery.config.mjs", text(2), text(9)],
    ] as const) {
      rmSync(file, { force: true });
      write({ [name]: good });
      const isTrusted = (path: string) => {
        writeFileSync(path, bad);
        return true;
      };
      expect((await load({ isTrusted })).config.cache.ttl).toBe(2);
      rmSync(join(root, name));
    }
  });

  it.each(["ts", "mjs", "js", "json"])(
    "the very %s file that it was asked about as an import too",
    async (extension) => {
      const text = (ttl: number) => (extension === "json" ? `{"ttl": ${ttl}}` : `export default { ttl: ${ttl} };`);
      const imported = join(root, `project/.anygpt/ttl.${extension}`);
      write({
        "project/package.json": '{"type": "module"}',
        [`project/.anygpt/ttl.${extension}`]: text(2),
        "project/.anygpt/mcp-discovery.config.mjs": `import cache from "./ttl.${extension}"; export default { cache };`,
      });
      const isTrusted = () => {
        writeFileSync(imported, text(9));
        return true;
      };
      expect((await load({ isTrusted })).config.cache.ttl).toBe(2);
      expect((await load()).config.cache.ttl).toBe(9);
    },
  );

  it("no program that requires a file which changes while it runs", async () => {
    write({
      "project/.anygpt/mcp-discovery.config.js": `const { ttl } = require("./ttl.js");
require("node:fs").writeFileSync(${JSON.stringify(join(root, "project/.anygpt/ttl.js"))}, "exports.ttl = 9;");
module.exports = { cache: { ttl } };`,
      "project/.anygpt/ttl.js": "exports.ttl = 2;",
    });
    const { message } = await failure(load({ isTrusted: () => true }));
    expect(message).toMatch(/config\.js: changed, or what it requires did, while it was run\.$/);
  });

  it.each<[string, Record<string, string>, Partial<LoadParts>, boolean]>([
    ["of a project whose file is trusted", { [PROJECT]: bare(2) }, { isTrusted: () => true }, true],
    ["of a project whose file is not", { [PROJECT]: bare(2), [HOME]: bare(4) }, { isTrusted: none }, false],
    ["beside the person's own file", { [HOME]: bare(4) }, {}, false],
    ["without any file", {}, {}, false],
    ["beside a file that is named", { "project/x.json": bare(1) }, { path: "x.json" }, true],
    ["below which a file is named", { "project/a/x.json": bare(1) }, { path: "a/x.json" }, true],
    ["elsewhere than a file that is named", { "other/x.json": bare(1) }, { path: "../other/x.json" }, false],
  ])("the variables %s: %#", async (_, files, parts, expected) => {
    write(files);
    expect((await load(parts)).trustsFolder).toBe(expected);
  });

  it("no file that it does not watch", async () => {
    write({
      "project/.anygpt/mcp-discovery.config.ts": `import { ttl } from "./ttl"; export default { cache: { ttl } };`,
      "project/.anygpt/ttl.ts": "export const ttl = 2;",
    });
    const { watched } = await load();
    expect(new Set(watched).size).toBe(25);
    expect(watched).toEqual(
      expect.arrayContaining([join(root, PROJECT), join(root, HOME), join(root, "project/.anygpt/ttl.ts")]),
    );
  });
});

describe("loadConfig refuses", () => {
  it.each<[string, Record<string, string>, Partial<LoadParts>, string]>([
    ["a named file that is not there", {}, { path: "gone.json" }, "gone.json does not exist."],
    [
      "a named shared file without a section",
      { [SHARED]: "{}" },
      { path: "anygpt.config.json" },
      "anygpt.config.json:1:1: discovery: is missing.",
    ],
    [
      "keys beside the wrapper in the project's file",
      { [PROJECT]: `{ "discovery": {}, "cache": {} }` },
      {},
      "config.json:1:20: cache: stands beside `discovery`; write it inside.",
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

  it("with all problems at once, in the order of the file", async () => {
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

  it("and cuts a long list in the message, not in the facts", async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `"unknown${index}": 1`);
    write({ [PROJECT]: `{ ${keys.join(", ")} }` });
    const { message, facts } = await failure(load());
    expect(message).toMatch(/has 12 problems: .*; and 7 more\.$/);
    expect(facts["problems"]).toHaveLength(12);
  });
});

describe("loadConfig", () => {
  it("lists patterns that do not compile beside all other problems, each with its place", async () => {
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
      '3:25 discovery.toolRules[0].pattern[1]: The glob "[a" has a "[" that is never closed.',
      "4:8 discovery.toolRules[1].pattern: The regex /(?=x)/ looks ahead or behind, which RE2 does not support.",
      '4:28 discovery.toolRules[1].enabld: is not a known key; did you mean "enabled"?',
      '5:8 discovery.toolRules[2].server: The glob "{b" has a "{" that is never closed.',
      "6:11 discovery.cache.ttl: must be a number, not text",
    ]);
  });

  it.each([
    ["x.json", ""],
    ["x.jsonc", "// nothing\n/* yet\n*/ \n"],
    ["x.yaml", "\n"],
    ["x.yml", "---\n# servers:\n...\n"],
  ])("refuses the empty %s, which an editor may leave while it saves", async (name, text) => {
    write({ [`project/${name}`]: text });
    await expect(load({ path: name })).rejects.toThrow(name);
  });

  it("takes a wrapper without content as no configuration", async () => {
    write({ "project/x.yaml": "discovery:\n" });
    expect((await load({ path: "x.yaml" })).config).toEqual(parseConfig({ sources: "all" }));
  });

  it.each(["", "discovery:\n"])(
    "takes sections without content as if they were not there, below %j",
    async (wrapper) => {
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
      ];
      write({ "project/x.yaml": wrapper + keys.map((key) => `${wrapper === "" ? "" : "  "}${key}:`).join("\n") });
      expect((await load({ path: "x.yaml" })).config).toEqual(parseConfig({ sources: "all" }));
    },
  );

  it.each([
    ["serverz:", { path: "serverz" }],
    ["cache: {ttl: }", { path: "cache.ttl" }],
  ])("does not take %j as if it were not there", async (text, problem) => {
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

  it("refuses a variable in the path of the store, which is never replaced", async () => {
    write({ [PROJECT]: '{ "store": "${HOME}/a" }' });
    expect((await failure(load())).message).toContain("1:3: store: variables are not replaced here");
  });
});

describe("the environment", () => {
  it.each<[string, string, Record<string, string>, object]>([
    [
      "stands in for what no file sets",
      "{}",
      { MCP_DEFAULT_LIMIT: "3" },
      { limit: 3, minRelevance: 0, semantic: true, suggestions: true },
    ],
    [
      "stands in for the rest of a section",
      '{ "search": { "limit": 7 } }',
      { MCP_DEFAULT_LIMIT: "3", MCP_SEARCH_MIN_CONFIDENCE: " 0.5 " },
      { limit: 7, minRelevance: 0.5, semantic: true, suggestions: true },
    ],
    [
      "stands in for an empty section",
      '{ "search": null }',
      { MCP_SEARCH_MIN_CONFIDENCE: "1" },
      { limit: 10, minRelevance: 1, semantic: true, suggestions: true },
    ],
    [
      "may be empty",
      "{}",
      { MCP_DEFAULT_LIMIT: "", MCP_SEARCH_MIN_CONFIDENCE: " " },
      { limit: 10, minRelevance: 0, semantic: true, suggestions: true },
    ],
  ])("%s", async (_, text, env, search) => {
    write({ [PROJECT]: text });
    expect((await load({ env })).config.search).toEqual(search);
  });

  it("stands in when there is no file at all", async () => {
    expect((await load({ env: { MCP_DEFAULT_LIMIT: "3" } })).config.search.limit).toBe(3);
  });
});

describe("parseConfig", () => {
  it("fills in every default and freezes all of it", () => {
    const config = parseConfig({ servers: [{ name: "a", command: "x", args: ["y"] }] });
    expect(config).toMatchObject({ enabled: true, sources: [], toolRules: [], cache: { enabled: true, ttl: 3600 } });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.servers[0]?.args)).toBe(true);
  });

  it("does not freeze or keep what the program gave", () => {
    const inputSchema = { type: "object" };
    const config = parseConfig({ servers: [{ name: "a", command: "x", tools: [{ name: "t", inputSchema }] }] });
    expect(Object.isFrozen(inputSchema)).toBe(false);
    expect(config.servers[0]?.tools?.[0]?.inputSchema).not.toBe(inputSchema);
  });

  it("takes a map of servers and the wrapper", () => {
    const { servers } = parseConfig({ discovery: { servers: { b: { url: "http://x", name: "Title" } } } });
    expect(servers).toEqual([{ name: "b", url: "http://x", enabled: true, description: "Title" }]);
  });

  it("names the origin in its error", async () => {
    const error = await failure(Promise.resolve().then(() => parseConfig({ enabld: true }, "options")));
    expect(error.message).toBe('options: enabld: is not a known key; did you mean "enabled"?');
    const other = await failure(Promise.resolve().then(() => parseConfig({ enabled: new Map() })));
    expect(other.message).toBe("The given configuration: enabled: must be plain data, not an instance of a class.");
  });
});

describe("servers without a folder of their own start", () => {
  it.each<[string, string, string, Partial<LoadParts>]>([
    ["in the home folder for the person's configuration", HOME, "home", {}],
    ["in the project for the project's configuration", PROJECT, "project", {}],
    ["in the project for the shared configuration", SHARED, "project", {}],
    ["beside a configuration that the person named", "project/sub/c.json", "project/sub", { path: "sub/c.json" }],
  ])("%s", async (_, file, folder, parts) => {
    write({ [file]: wrapped(1).replace(', "providers": {}', "") });
    expect((await load(parts)).startDir).toBe(join(root, folder));
  });
});

describe("a link named .anygpt in a project", () => {
  const link = (target: string) => {
    mkdirSync(join(root, "project"));
    symlinkSync(join(root, target), join(root, "project/.anygpt"));
  };

  it("to the person's own folder does not make the project the base of what the person wrote", async () => {
    write({ [HOME]: bare(4) });
    link("home/.anygpt");
    const loaded = await load();
    expect(loaded).toMatchObject({
      file: join(root, HOME),
      origin: "user",
      baseDir: join(root, "home/.anygpt"),
      startDir: join(root, "home"),
      trustsFolder: false,
    });
  });

  it("to another project is about that project", async () => {
    write({ "other/.anygpt/mcp-discovery.config.json": bare(4) });
    link("other/.anygpt");
    const other = join(realpathSync(root), "other");
    expect(await load()).toMatchObject({
      origin: "project",
      baseDir: join(other, ".anygpt"),
      startDir: other,
      trustsFolder: false,
    });
  });
});

it("whoever is asked to trust a configuration sees everything that bends what it starts, and no value", async () => {
  const servers = {
    a: { command: "x", env: { NODE_OPTIONS: "hidden" }, cwd: "sub", envFile: ".env.x" },
    b: { url: "https://b/mcp", headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "hidden" } },
  };
  write({ [PROJECT]: JSON.stringify({ servers, store: "~/.bashrc" }) });
  const home = join(root, "home");
  const [found] = await findProjectConfigs({
    cwd: join(root, "project"),
    home,
    anygptHome: join(home, ".anygpt"),
    env: {},
  });
  expect(found?.effects).toEqual([
    "a starts x (in sub; sets NODE_OPTIONS; reads variables from .env.x)",
    "b speaks to https://b/mcp (sends the headers Authorization, X-Key; is given your variables TOKEN)",
    'writes to "~/.bashrc"',
  ]);
});

describe("which servers a file means", () => {
  it.each([
    ["only rules and a cache", "toolRules: []\ncache: { ttl: 5 }", "all", true],
    ["`sources: all`", "sources: all", "all", false],
    ["`sources: all` beside servers", "servers: { a: { command: a } }\nsources: all", "all", false],
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

  it("is the servers of all clients without a file", async () => {
    const loaded = await load();
    expect([loaded.config.sources, loaded.isImplicit]).toEqual(["all", true]);
  });

  it("is none where another gateway started this one and the file names none", async () => {
    write({ "project/x.yaml": "cache: { ttl: 5 }" });
    const loaded = await load({ path: "x.yaml", isNested: true });
    expect([loaded.config.sources, loaded.isImplicit]).toEqual([[], false]);
  });

  it("is none for a program that gives the configuration itself", () => {
    expect(parseConfig({ cache: { ttl: 5 } }).sources).toEqual([]);
  });
});

describe("mcpServers", () => {
  it("is another name for servers, with its own positions", async () => {
    write({ "project/x.json": '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}' });
    const loaded = await load({ path: "x.json" });
    expect(loaded.config.servers).toMatchObject([{ name: "a", command: "a" }]);
    expect(loaded.config).not.toHaveProperty("mcpServers");
    expect(loaded.positionOf(["servers", "a"])).toEqual({ line: 3, column: 5 });
  });

  it("is refused beside servers, and both are named", async () => {
    write({ "project/x.yaml": "servers: {}\nmcpServers: {}\n" });
    expect((await failure(load({ path: "x.yaml" }))).message).toMatch(
      /x\.yaml:2:1: mcpServers: is another name for `servers`, which is there too; keep one of them\.$/,
    );
  });

  it("names the key that was written in what is wrong with it", async () => {
    write({ "project/x.yaml": "mcpServers: { a: { comand: x } }\n" });
    expect((await failure(load({ path: "x.yaml" }))).message).toMatch(/mcpServers\.a/);
  });
});
