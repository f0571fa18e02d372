import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { findProjectConfigs } from "./project-files.js";
import { loadConfig, type LoadParts } from "./load.js";

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

describe("loadConfig", () => {
  const none = () => false;
  const seen = (expected: string) => (_: string, content: Uint8Array) => Buffer.from(content).toString() === expected;

  it.each<[string, Record<string, string>, Partial<LoadParts>, number, string[]]>([
    [
      "skips untrusted files of the project",
      { [PROJECT]: bare(2), [SHARED]: wrapped(3), [HOME]: bare(4) },
      {},
      4,
      [PROJECT, SHARED],
    ],
    ["returns defaults if the only file is untrusted", { [PROJECT]: bare(2) }, {}, 3600, [PROJECT]],
    [
      "uses the file whose content is trusted",
      { [PROJECT]: bare(2), [SHARED]: wrapped(3) },
      { isTrusted: seen(wrapped(3)) },
      3,
      [PROJECT],
    ],
    ["trusts a file that the user names", { "project/x.json": bare(1) }, { path: "x.json" }, 1, []],
    ["trusts the user's own file", { [HOME]: bare(4) }, {}, 4, []],
    ["trusts the files of the home folder", { [PROJECT]: bare(2) }, { home: "project" }, 2, []],
    ["trusts the state folder inside a project", { [PROJECT]: bare(2) }, { anygptHome: "project/.anygpt" }, 2, []],
    [
      "skips an unreadable file of the project",
      { "project/.anygpt/mcp-discovery.config.json/x": "", [HOME]: bare(4) },
      {},
      4,
      [PROJECT],
    ],
    ["ignores a shared file without a section", { [SHARED]: "{}", [HOME]: bare(4) }, {}, 4, []],
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

  it("uses the content that was checked for trust, even if the file changes afterwards", async () => {
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
    "uses the content of an imported %s file that was checked for trust",
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

  it("rejects a program that requires a file which changes while it runs", async () => {
    write({
      "project/.anygpt/mcp-discovery.config.js": `const { ttl } = require("./ttl.js");
require("node:fs").writeFileSync(${JSON.stringify(join(root, "project/.anygpt/ttl.js"))}, "exports.ttl = 9;");
module.exports = { cache: { ttl } };`,
      "project/.anygpt/ttl.js": "exports.ttl = 2;",
    });
    const { message } = await failure(load({ isTrusted: () => true }));
    expect(message).toMatch(/config\.js: it or a file that it requires changed while it was run\.$/);
  });

  it.each<[string, Record<string, string>, Partial<LoadParts>, boolean]>([
    ["trusts the variables of a project with a trusted file", { [PROJECT]: bare(2) }, { isTrusted: () => true }, true],
    [
      "does not trust the variables of a project with an untrusted file",
      { [PROJECT]: bare(2), [HOME]: bare(4) },
      { isTrusted: none },
      false,
    ],
    ["does not trust the variables of the working folder with the user's own file", { [HOME]: bare(4) }, {}, false],
    ["does not trust the variables of the working folder without any file", {}, {}, false],
    ["trusts the variables in the folder of a named file", { "project/x.json": bare(1) }, { path: "x.json" }, true],
    [
      "trusts the variables in a parent folder of a named file",
      { "project/a/x.json": bare(1) },
      { path: "a/x.json" },
      true,
    ],
    [
      "does not trust the variables of the working folder with a named file in another folder",
      { "other/x.json": bare(1) },
      { path: "../other/x.json" },
      false,
    ],
  ])("%s", async (_, files, parts, expected) => {
    write(files);
    expect((await load(parts)).trustsFolder).toBe(expected);
  });

  it("watches every file that it uses or would use", async () => {
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

describe("a link named .anygpt in a project", () => {
  const link = (target: string) => {
    mkdirSync(join(root, "project"));
    symlinkSync(join(root, target), join(root, "project/.anygpt"));
  };

  it("to the user's own folder keeps that folder as the base of relative paths", async () => {
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

  it("to another project uses that project as the base of relative paths", async () => {
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

it("lists all effects of a configuration before the user trusts it, without secrets", async () => {
  const servers = {
    a: { command: "x", env: { NODE_OPTIONS: "--require=./x.cjs", API_TOKEN: "hidden" }, cwd: "sub", envFile: ".env.x" },
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
    'a starts x (in sub; sets NODE_OPTIONS=--require=./x.cjs, "API_TOKEN=***"; reads variables from .env.x)',
    "b connects to https://b/mcp (sends the headers Authorization, X-Key; gets your variable TOKEN)",
    'writes to "~/.bashrc"',
  ]);
});
