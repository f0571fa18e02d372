// Every shell example of the documentation is marked with what it needs: "```sh run", "```console needs-network".
// test/e2e/docs-examples.test.ts runs the examples marked `run`.
import { expect, it } from "vitest";
import { readShellExamples, runner } from "./support/examples.js";

/** `run`, or why the example cannot run here. */
const MARKS = new Set([
  "run",
  "needs-client",
  "needs-docker",
  "needs-gateway",
  "needs-network",
  "needs-repository",
  "needs-setup",
  "needs-terminal",
]);

it("marks every shell example with `run` or with what it needs", () => {
  const unmarked = readShellExamples().flatMap(({ path, examples }) =>
    examples.filter(({ mark }) => !MARKS.has(mark)).map(({ line, mark }) => `${path}:${line} "${mark}"`),
  );
  expect(unmarked).toEqual([]);
});

it("runs the examples of the tutorial and of the README", () => {
  const countOf = (page: string) =>
    readShellExamples()
      .find(({ path }) => path === page)
      ?.examples.filter(({ mark }) => mark === "run").length;
  expect(countOf("docs/start/tutorial.md")).toBeGreaterThan(5);
  expect(countOf("README.md")).toBe(1);
});

it("compares an output with the output on the page", () => {
  const { isShown, stepsOf } = runner;
  expect(isShown("a … c", "a b\nb c\n")).toBe(true);
  expect(isShown("a.c", "abc")).toBe(false);
  expect(isShown("a", "a\nb")).toBe(false);
  expect(stepsOf("$ one \\\n  two\nout\n\n$ three\n")).toEqual([
    { command: "one \\\n  two", shown: "out" },
    { command: "three", shown: "" },
  ]);
});
