import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../test/support/cost.js";
import { findLocalFiles } from "./local-imports.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "imports-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const find = async (text: string) =>
  [...((await findLocalFiles(join(root, "x.ts"), text)) ?? new Map<string, unknown>()).keys()]
    .slice(1)
    .map((path) => path.slice(root.length + 1));

describe("findLocalFiles", () => {
  it.each<[string, string, string[]]>([
    ["a default import", `import a from "./a.mjs";`, ["a.mjs"]],
    ["named imports over lines", `import {\n  a,\n  b\n} from './a.mjs'`, ["a.mjs"]],
    ["an import for its effects", `import "./a.mjs"`, ["a.mjs"]],
    ["a dynamic import", `await import("./a.mjs")`, ["a.mjs"]],
    ["a dynamic import with a comment", `await import(/* x */ "./a.mjs")`, ["a.mjs"]],
    ["require", "const a = require('./a.mjs')", ["a.mjs"]],
    ["a re-export", `export * from "./a.mjs"`, ["a.mjs"]],
    ["a template without variables", "import(`./a.mjs`)", ["a.mjs"]],
    ["JSON", `import j from "./j.json" with { type: "json" }`, ["j.json"]],
    ["a TypeScript file under the name of its JavaScript output", `import t from "./t.js"`, ["t.ts"]],
    ["a path without its extension", `import t from "./t"`, ["t.ts"]],
    ["a folder", `import f from "./folder"`, ["folder/index.ts"]],
    ["a folder above", `import f from "../x/none"`, []],
    ["indirect imports", `import c from "./chain.ts"`, ["chain.ts", "t.ts"]],
    ["each file of circular imports once", `import "./round.ts"; import "./round"`, ["round.ts"]],
    ["an import behind a comment to the end of the line", `import a from // c\n "./a.mjs"`, ["a.mjs"]],
    ["an import behind several comments", `import a from /*b*//*c* /*/ /***/ "./a.mjs"`, ["a.mjs"]],
    ["a dynamic import behind a comment", `import(\n// note\n"./a.mjs")`, ["a.mjs"]],
    ["a dynamic import in parentheses", `import((/*/ x */"./a.mjs"))`, ["a.mjs"]],
    ["an optional call of require", `require?.("./a.mjs")`, ["a.mjs"]],
    ["an import after a quote in a regular expression", `const q = /["'\`]/; import("./a.mjs")`, ["a.mjs"]],
    ["an import after the start of a comment in a string", `const glob = "/*"; import /**/ "./a.mjs"`, ["a.mjs"]],
    ["a path with hexadecimal and Unicode escapes", `import "\\x2e/a\\u002emj\\u{73}"`, ["a.mjs"]],
    ["a path with other escapes", `require("\\56/\\a.mj\\\ns")`, ["a.mjs"]],
    ["a path with percent-encoding and a query string", `import "./%61.mjs?x#y"`, ["a.mjs"]],
    ["all files that a name may mean", `require("./both")`, ["both.ts", "both.js"]],
    ["the TypeScript source of a JavaScript file", `import "./both.js"`, ["both.js", "both.ts"]],
    ["the main file of a folder", `import "./packed"`, ["packed/lib/main.js", "packed/package.json"]],
    ["the main folder of a folder", `import "./nested"`, ["nested/lib/index.js", "nested/package.json"]],
    ["a folder whose package.json is broken", `import "./odd"`, ["odd/index.js", "odd/package.json"]],
    ["no file for packages and Node.js modules", `import z from "zod"; import fs from "node:fs"`, []],
    ["no file for a computed path", "await import(`./${name}.mjs`)", []],
    ["no file that does not exist", `import "./none"`, []],
  ])("finds %s", async (_, text, expected) => {
    write({
      "a.mjs": "",
      "j.json": "{}",
      "t.ts": "",
      "folder/index.ts": "",
      "chain.ts": `import "./t.js"`,
      "both.ts": "",
      "both.js": "",
      "packed/package.json": `{"main": "lib/main"}`,
      "packed/lib/main.js": "",
      "nested/package.json": `{"main": "./lib"}`,
      "nested/lib/index.js": "",
      "odd/package.json": "{",
      "odd/index.js": "",
      "round.ts": `import "./round.js"; import "./x.ts";`,
    });
    write({ "x.ts": text });
    expect(await find(text)).toEqual(expected);
  });

  it("finds absolute paths and file URLs", async () => {
    write({ "a.mjs": "", "b.mjs": "" });
    const text = `import "${join(root, "a.mjs")}"; import "${pathToFileURL(join(root, "b.mjs")).href}";`;
    expect(await find(text)).toEqual(["a.mjs", "b.mjs"]);
  });

  it("links imported files and not required ones", async () => {
    write({ "a.mjs": "", "b.cjs": "", "c.js": "" });
    const text = `import "./a.mjs"; require("./b.cjs"); require("./c"); import "./c";`;
    const links = (await findLocalFiles(join(root, "x.ts"), text))?.get(join(root, "x.ts"))?.links;
    expect(links).toEqual(new Map([["./a.mjs", join(root, "a.mjs")]]));
  });

  const imports = (count: number): string => Array.from({ length: count }, (_, n) => `import "./n${n}";`).join("\n");
  it.each<[string, (count: number) => string, number]>([
    ["words in one comment before a blank", (n) => `${"import /* ".repeat(n)}*/${" ".repeat(10 * n)}"./a.mjs"`, 10_000],
    ["words in one line before a blank", (n) => `${"import // ".repeat(n)}\n${" ".repeat(10 * n)}"./a.mjs"`, 10_000],
    ["comments that never end", (n) => "import /*".repeat(n), 20_000],
    ["texts that never end", (n) => `import "./${"\\".repeat(n)}`, 200_000],
    ["imports of missing files", imports, 500],
    ["imports beyond the limit", imports, 50_000],
  ])("takes time in proportion to the number of %s", async (_, textOf, count) => {
    write({ "a.mjs": "" });
    await expectLinear((size) => {
      const text = flat(textOf(size));
      return () => find(text);
    }, count);
  });

  it("returns undefined for too many files", async () => {
    const names = Array.from({ length: 501 }, (_, n) => `f${n}.ts`);
    write(Object.fromEntries(names.map((name) => [name, ""])));
    expect(
      await findLocalFiles(join(root, "x.ts"), names.map((name) => `import "./${name}";`).join("\n")),
    ).toBeUndefined();
  });

  it("returns undefined before it reads more than the limit", async () => {
    write({ "large.ts": "" });
    truncateSync(join(root, "large.ts"), 17 * 1024 * 1024);
    expect(await findLocalFiles(join(root, "x.ts"), `import "./large.ts"`)).toBeUndefined();
  });

  it("does not read a named pipe", async () => {
    execFileSync("mkfifo", [join(root, "pipe.ts")]);
    expect(await find(`import "./pipe.ts"`)).toEqual([]);
  });
});
