import { expect, it } from "vitest";
import { describeProblem, pathText } from "./problem.js";

it.each([
  [[], ""],
  [["toolRules", 2, "enabled"], "toolRules[2].enabled"],
  [["servers", "my server", "url"], 'servers["my server"].url'],
  [[0, "a"], "[0].a"],
])("pathText(%j) is %j", (path, text) => {
  expect(pathText(path)).toBe(text);
});

it.each([
  [{ file: "f", path: "", reason: "is empty" }, "f: is empty"],
  [{ file: "f", path: "a.b", line: 3, column: 7, reason: "Is wrong." }, "f:3:7: a.b: Is wrong"],
])("describeProblem(%j) is %j", (problem, text) => {
  expect(describeProblem(problem)).toBe(text);
});
