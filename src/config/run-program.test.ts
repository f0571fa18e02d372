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
    [
      "config() without an import, as the first specification has it",
      "x.ts",
      "export default config({ providers: {}, discovery: { cache: { ttl: 5 } } });",
    ],
    ["defineConfig() without an import", "x.mjs", "export default defineConfig({ cache: { ttl: 5 } });"],
    ["an import of its neighbour", "x.ts", `import { ttl } from "./ttl.js";\nexport default { cache: { ttl } };`],
  ])("may be %s", async (_, name, text) => {
    write({ [`project/${name}`]: text, "project/ttl.ts": "export const ttl: number = 5;" });
    expect((await load({ path: name })).config.cache.ttl).toBe(5);
  });

  it("leaves no globals behind, and those that were there as they were", async () => {
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
