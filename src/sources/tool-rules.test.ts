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
  ["a name beyond all measure", { allow: ["x".repeat(600)] }, [["*"]]],
  ["nothing", {}, []],
])("hides what %s leave out, and never enables", (_, filter, patterns) => {
  expect(toToolRules("s", filter)).toEqual(patterns.map((pattern) => ({ server: "s", pattern, enabled: false })));
});

it("takes as many rules as denied tools need", () => {
  const deny = Array.from({ length: 2_500 }, (_, index) => `t${index}`);
  expect(toToolRules("s", { deny }).map(({ pattern }) => pattern.length)).toEqual([1_000, 1_000, 500]);
});
