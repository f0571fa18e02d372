import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { loadConfig } from "./load.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "load-config-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function load(parts: { path: string }) {
  const home = join(root, "home");
  return loadConfig({ cwd: join(root, "project"), home, anygptHome: join(home, ".anygpt"), env: {}, ...parts });
}

describe("a configuration that is a program", () => {
  it.each([
    ["a typed default export", "x.ts", `const ttl: number = 5;\nexport default { cache: { ttl } } satisfies object;`],
    ["an export called config", "x.mts", "export const config = { cache: { ttl: 5 } };"],
    ["a promise", "x.mjs", "export default Promise.resolve({ cache: { ttl: 5 } });"],
    ["CommonJS", "x.js", "module.exports = { cache: { ttl: 5 } };"],
    [
      "defineConfig without the package installed",
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
    [
      "config() without an import",
      "x.ts",
      "export default config({ providers: {}, discovery: { cache: { ttl: 5 } } });",
    ],
    ["defineConfig() without an import", "x.mjs", "export default defineConfig({ cache: { ttl: 5 } });"],
    [
      "an import of a file in its folder",
      "x.ts",
      `import { ttl } from "./ttl.js";\nexport default { cache: { ttl } };`,
    ],
  ])("may be %s", async (_, name, text) => {
    write({ [`project/${name}`]: text, "project/ttl.ts": "export const ttl: number = 5;" });
    expect((await load({ path: name })).config.cache.ttl).toBe(5);
  });

  it("removes its globals and restores previous ones", async () => {
    const own = {};
    const globals = globalThis as Record<string, unknown>;
    globals["config"] = own;
    try {
      const text = "await 0; export default config({ cache: { ttl: 5 } });";
      write({
        "project/x.mjs": text,
        "project/y.mjs": text,
        "project/z.mjs": "throw new Error(String(defineConfig));",
      });
      const loads = ["x.mjs", "y.mjs", "z.mjs", "x.mjs"].map((path) => load({ path }));
      const outcomes = await Promise.allSettled(loads);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect(globals["config"]).toBe(own);
      expect(globals).not.toHaveProperty("defineConfig");
    } finally {
      delete globals["config"];
    }
  });

  it("is run again on every load, with its imports", async () => {
    write({
      "project/x.ts": `import { ttl } from "./ttl";\nexport default { cache: { ttl } };`,
      "project/ttl.ts": "export const ttl = 5;",
    });
    expect((await load({ path: "x.ts" })).config.cache.ttl).toBe(5);
    write({ "project/ttl.ts": "export const ttl = 6;" });
    expect((await load({ path: "x.ts" })).config.cache.ttl).toBe(6);
  });

  it.each(["mjs", "js", "ts", "json"])("sees a changed %s import on the next load", async (extension) => {
    const text = (ttl: number) => (extension === "json" ? `{"ttl": ${ttl}}` : `export const ttl = ${ttl};`);
    write({
      "project/package.json": '{"type": "module"}',
      "project/x.mjs": `import { ttl } from "./deep/between.mjs";\nexport default { cache: { ttl } };`,
      "project/deep/between.mjs": `export { ttl } from "../ttl.${extension}";`,
    });
    for (const ttl of [5, 6, 7]) {
      write({ [`project/ttl.${extension}`]: text(ttl) });
      expect((await load({ path: "x.mjs" })).config.cache.ttl).toBe(ttl);
    }
  });

  it.each([
    ["modules that import each other", `import { a } from "./a.mjs"; export default { cache: { ttl: a() } };`],
    [
      "a module that is imported twice, once",
      `import "./count.mjs"; import { n } from "./count.mjs"; import "./also.mjs"; export default { cache: { ttl: n() + 4 } };`,
    ],
    ["an import that does not run", `if (false) await import("./boom.mjs"); export default { cache: { ttl: 5 } };`],
    ["a dynamic import", `const { five } = await import("./five.mjs"); export default { cache: { ttl: five } };`],
    ["a namespace import", `import * as all from "./five.mjs"; export default { cache: { ttl: all.five } };`],
    ["CommonJS from a module", `import c from "./five.cjs"; export default { cache: { ttl: c.five } };`],
  ])("may have %s", async (_, text) => {
    write({
      "project/a.mjs": `import { b } from "./b.mjs"; export const a = () => b(); export const five = 5;`,
      "project/b.mjs": `import { five } from "./a.mjs"; export const b = () => five;`,
      "project/count.mjs": `globalThis.countOfTest = (globalThis.countOfTest ?? 0) + 1; export const n = () => { const n = globalThis.countOfTest; delete globalThis.countOfTest; return n; };`,
      "project/also.mjs": `import "./count.mjs";`,
      "project/boom.mjs": `throw new Error("boom");`,
      "project/five.mjs": "export const five = 5;",
      "project/five.cjs": "exports.five = 5;",
      "project/x.mjs": text,
    });
    expect((await load({ path: "x.mjs" })).config.cache.ttl).toBe(5);
  });

  it("may require a file in its folder", async () => {
    write({
      "project/x.js": `module.exports = { cache: require("./y.js") };`,
      "project/y.js": "module.exports = { ttl: 5 };",
    });
    expect((await load({ path: "x.js" })).config.cache.ttl).toBe(5);
  });

  it("names the imported file that failed", async () => {
    write({ "project/x.ts": `import "./y.ts";\nexport default {};`, "project/y.ts": `\n  throw new Error("boom");` });
    expect((await failure(load({ path: "x.ts" }))).message).toBe(
      `${join(root, "project/y.ts")}:2:3: could not be run: boom.`,
    );
  });

  it("removes its globals if it never ends", async () => {
    write({ "project/x.ts": "export default new Promise(() => {});" });
    const home = join(root, "home");
    const parts = { cwd: join(root, "project"), home, anygptHome: home, env: {}, path: "x.ts", programTimeoutMs: 20 };
    expect((await failure(loadConfig(parts))).message).toMatch(/did not finish within 0\.02 s\.$/);
    expect(globalThis).not.toHaveProperty("defineConfig");
  });

  it.each([
    [
      "a syntax error, with its position",
      "const a = 1;\nexport default { a: ]",
      "x.ts:2:21: could not be run: ParseError: Unexpected token.",
    ],
    [
      "an exception on a later line, with its position",
      `const a: string = "b";\n\n  throw new Error("boom");`,
      "x.ts:3:3: could not be run: boom.",
    ],
    ["an exception, without its stack", `throw new Error("boom");`, "x.ts:1:1: could not be run: boom."],
    [
      "a missing module",
      `import { x } from "not-there";\nexport default x;`,
      "x.ts:1:1: could not be run: Cannot find module 'not-there'.",
    ],
    ["no export", "export const other = 1;", "x.ts: exports no configuration; write `export default { … }`."],
    [
      "a function inside",
      "export default { enabled: () => true };",
      "x.ts: enabled: must be plain data, not a function.",
    ],
  ])("is rejected for %s", async (_, text, ending) => {
    write({ "project/x.ts": text });
    const { message } = await failure(load({ path: "x.ts" }));
    expect(message.endsWith(ending) ? ending : message).toBe(ending);
  });
});
