// Runs the shell examples of the documentation, page by page, each page in an empty home folder with the built programs.
// The output of console examples is compared; `npm run docs:record` writes the current output into the pages.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readShellExamples, runner } from "../support/examples.js";
import type { Fence } from "../support/markdown.js";

const LONGEST_PAGE_MS = 300_000;

const pages = readShellExamples()
  .map(({ path, examples }) => ({ path, examples: examples.filter(({ mark }) => mark === "run") }))
  .filter(({ examples }) => examples.length > 0);

// The examples are written for a POSIX shell.
describe.skipIf(process.platform === "win32").each(pages)("the examples of $path", ({ examples }) => {
  let home: string;
  beforeAll(() => void (home = runner.createExampleHome()));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it(
    "succeed, and print what the page shows",
    async () => {
      const problems: string[] = [];
      for (const example of examples) problems.push(...(await problemsOf(example, home)));
      expect(problems).toEqual([]);
    },
    LONGEST_PAGE_MS,
  );
});

async function problemsOf({ language, line, text }: Fence, home: string): Promise<string[]> {
  if (language !== "console") {
    const { exit, output } = await runner.runExample(text, home);
    return exit === 0 ? [] : [`line ${line} exits with ${exit}: ${output}`];
  }
  const problems: string[] = [];
  for (const { command, shown } of runner.stepsOf(text)) {
    const { output } = await runner.runExample(command, home);
    if (!runner.isShown(shown, output)) problems.push(`line ${line}: ${command}\nprints:\n${output}\nnot:\n${shown}`);
  }
  return problems;
}
