import { expect, it } from "vitest";
import { toToolRules } from "./tool-rules.js";
import type { ToolFilter } from "./imported.js";

it.each<[string, ToolFilter, string[][]]>([
  ["denied tools", { deny: ["a", "b"] }, [["a", "b"]]],
  ["allowed tools", { allow: ["a", "b"] }, [["*", "!a", "!b"]]],
  ["both", { allow: ["a"], deny: ["b"] }, [["b"], ["*", "!a"]]],
  ["no tool allowed", { allow: [] }, [["*"]]],
  [
    "names that look like patterns",
    { deny: ["!a", "/b/", "c*[x]{y}?\\"] },
    [["\\!a", "\\/b\\/", "c\\*\\[x\\]\\{y\\}\\?\\\\"]],
  ],
  ["a name over the length limit", { allow: ["x".repeat(600)] }, [["*"]]],
  ["nothing", {}, []],
])("only disables tools, for a filter with %s", (_, filter, patterns) => {
  expect(toToolRules("s", filter)).toEqual(patterns.map((pattern) => ({ server: "s", pattern, enabled: false })));
});

it("creates as many rules as the denied tools need", () => {
  const deny = Array.from({ length: 2_500 }, (_, index) => `t${index}`);
  expect(toToolRules("s", { deny }).map(({ pattern }) => pattern.length)).toEqual([1_000, 1_000, 500]);
});
