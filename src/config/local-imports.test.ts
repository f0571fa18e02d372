import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
    ["TypeScript under the name of its output", `import t from "./t.js"`, ["t.ts"]],
    ["a path without its ending", `import t from "./t"`, ["t.ts"]],
    ["a folder", `import f from "./folder"`, ["folder/index.ts"]],
    ["a folder above", `import f from "../x/none"`, []],
    ["what is imported by an import", `import c from "./chain.ts"`, ["chain.ts", "t.ts"]],
    ["each file once, in a circle too", `import "./round.ts"; import "./round"`, ["round.ts"]],
    ["nothing of packages and Node.js itself", `import z from "zod"; import fs from "node:fs"`, []],
    ["nothing that is computed", "await import(`./${name}.mjs`)", []],
    ["nothing that is not there", `import "./none"`, []],
  ])("finds %s", async (_, text, expected) => {
    write({
      "a.mjs": "",
      "j.json": "{}",
      "t.ts": "",
      "folder/index.ts": "",
      "chain.ts": `import "./t.js"`,
      "round.ts": `import "./round.js"; import "./x.ts";`,
    });
    write({ "x.ts": text });
    expect(await find(text)).toEqual(expected);
  });

  it("finds absolute paths and addresses", async () => {
    write({ "a.mjs": "", "b.mjs": "" });
    const text = `import "${join(root, "a.mjs")}"; import "${pathToFileURL(join(root, "b.mjs")).href}";`;
    expect(await find(text)).toEqual(["a.mjs", "b.mjs"]);
  });

  it("links what is imported and not what is required", async () => {
    write({ "a.mjs": "", "b.cjs": "", "c.js": "" });
    const text = `import "./a.mjs"; require("./b.cjs"); require("./c"); import "./c";`;
    const links = (await findLocalFiles(join(root, "x.ts"), text))?.get(join(root, "x.ts"))?.links;
    expect(links).toEqual(new Map([["./a.mjs", join(root, "a.mjs")]]));
  });

  it("gives up when there are too many", async () => {
    const names = Array.from({ length: 501 }, (_, n) => `f${n}.ts`);
    write(Object.fromEntries(names.map((name) => [name, ""])));
    expect(
      await findLocalFiles(join(root, "x.ts"), names.map((name) => `import "./${name}";`).join("\n")),
    ).toBeUndefined();
  });

  it("gives up before it reads more than there is room for", async () => {
    write({ "large.ts": "" });
    truncateSync(join(root, "large.ts"), 17 * 1024 * 1024);
    expect(await findLocalFiles(join(root, "x.ts"), `import "./large.ts"`)).toBeUndefined();
  });

  it("does not wait for a pipe", async () => {
    execFileSync("mkfifo", [join(root, "pipe.ts")]);
    expect(await find(`import "./pipe.ts"`)).toEqual([]);
  });
});
