import { expect, it } from "vitest";
import { absolutePath, expandHome } from "./home-path.js";

it.each([
  ["~", "/home/p"],
  ["~/x", "/home/p/x"],
  ["~other/x", "~other/x"],
  ["a/~/b", "a/~/b"],
  ["/abs", "/abs"],
])("expandHome(%j) is %j", (path, expected) => {
  expect(expandHome(path, "/home/p")).toBe(expected);
});

it.each([
  ["./x.yaml", "/base/x.yaml"],
  ["../x.yaml", "/x.yaml"],
  ["~/x.yaml", "/home/p/x.yaml"],
  ["/x.yaml", "/x.yaml"],
])("absolutePath(%j) is %j", (path, expected) => {
  expect(absolutePath(path, { home: "/home/p", baseDir: "/base" })).toBe(expected);
});
