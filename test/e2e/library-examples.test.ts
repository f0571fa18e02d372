// Runs the TypeScript examples of the README and of the library page, as a new user would: in an empty home folder, with
// the installed package, and with servers that have never been started.
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runner } from "../support/examples.js";
import { type InstalledPackage, installPackage } from "../support/installed-package.js";
import { fencesOf, readMarkdownPages } from "../support/markdown.js";

const examplesOf = (page: string): string[] =>
  readMarkdownPages()
    .filter(({ path }) => path === page)
    .flatMap(({ text }) => fencesOf(text).filter(({ language }) => language === "ts"))
    .map(({ text }) => text);

/** Several servers may be started one after the other. */
const EXAMPLE_MS = 120_000;

let packed: InstalledPackage;
let home: string;
beforeAll(async () => void (packed = await installPackage()), EXAMPLE_MS);
afterAll(() => packed.remove());
beforeEach(() => {
  home = runner.createExampleHome();
  symlinkSync(join(packed.folder, "node_modules"), join(home, "project/node_modules"));
  writeFileSync(join(home, "project/notes.txt"), "");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The example is TypeScript; Node.js 20 runs it without its types. */
async function run(example: string): Promise<{ exit: number; output: string }> {
  const { transform } = await import("esbuild");
  const { code } = await transform(example, { loader: "ts", format: "esm", target: "node20" });
  writeFileSync(join(home, "project/example.mjs"), code);
  return await runner.runExample("node example.mjs", home);
}

describe("the examples of the library", () => {
  it(
    "list a folder as in the README, on the first run",
    async () => {
      const [example = "", ...others] = examplesOf("README.md");
      expect(others).toEqual([]);
      const { exit, output } = await run(example);
      expect(output).toContain("tool: 'list_directory'");
      expect(output).toContain("[FILE] notes.txt");
      expect(exit).toBe(0);
    },
    EXAMPLE_MS,
  );

  it.each(examplesOf("docs/reference/library.md").map((text, index): [number, string] => [index + 1, text]))(
    "run without an exception (library page, example %i)",
    async (_number, example) => {
      const { exit, output } = await run(example);
      expect(output).not.toMatch(/^\s+at /m);
      expect(exit).toBe(0);
    },
    EXAMPLE_MS,
  );
});
