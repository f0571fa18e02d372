import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
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

async function failure(promise: Promise<unknown>): Promise<DiscoveryError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscoveryError)) throw new TypeError("Expected a DiscoveryError.");
  return error;
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

describe("a configuration that is a program", () => {
  it.each([
    ["a typed default export", "x.ts", `const ttl: number = 5;\nexport default { cache: { ttl } } satisfies object;`],
    ["an export called config", "x.mts", "export const config = { cache: { ttl: 5 } };"],
    ["a promise", "x.mjs", "export default Promise.resolve({ cache: { ttl: 5 } });"],
    ["CommonJS", "x.js", "module.exports = { cache: { ttl: 5 } };"],
    [
      "defineConfig, though the package is not installed here",
      "x.ts",
      `import { defineConfig } from "@anygpt/discovery";\nexport default defineConfig({ cache: { ttl: 5 } });`,
    ],
    [
      "a module without types",
      "x.mjs",
      `import { config } from "@anygpt/discovery";\nexport default config({ cache: { ttl: 5 } });`,
    ],
    [
      "config() around other sections",
      "x.ts",
      `import { config } from "@anygpt/discovery";\nexport default config({ providers: {}, discovery: { cache: { ttl: 5 } } });`,
    ],
    ["an import of its neighbour", "x.ts", `import { ttl } from "./ttl.js";\nexport default { cache: { ttl } };`],
  ])("may be %s", async (_, name, text) => {
    write({ [`project/${name}`]: text, "project/ttl.ts": "export const ttl: number = 5;" });
    expect((await load({ path: name })).config.cache.ttl).toBe(5);
  });

  it("is run afresh on every load, its imports too", async () => {
    write({
      "project/x.ts": `import { ttl } from "./ttl";\nexport default { cache: { ttl } };`,
      "project/ttl.ts": "export const ttl = 5;",
    });
    expect((await load({ path: "x.ts" })).config.cache.ttl).toBe(5);
    write({ "project/ttl.ts": "export const ttl = 6;" });
    expect((await load({ path: "x.ts" })).config.cache.ttl).toBe(6);
  });

  it.each([
    [
      "a syntax error, with its place",
      "const a = 1;\nexport default { a: ]",
      "x.ts:2:20: could not be run: ParseError: Unexpected token.",
    ],
    ["an exception, without its stack", `throw new Error("boom");`, "x.ts: could not be run: boom."],
    [
      "a missing module",
      `import { x } from "not-there";\nexport default x;`,
      "x.ts: could not be run: Cannot find module 'not-there'.",
    ],
    ["no export", "export const other = 1;", "x.ts: exports no configuration; write `export default { … }`."],
    [
      "a function inside",
      "export default { enabled: () => true };",
      "x.ts: enabled: must be plain data, not a function.",
    ],
  ])("is refused for %s", async (_, text, ending) => {
    write({ "project/x.ts": text });
    const { message } = await failure(load({ path: "x.ts" }));
    expect(message.endsWith(ending) ? ending : message).toBe(ending);
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
