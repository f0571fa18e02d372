import { describe, expect, it } from "vitest";
import { createNearWords } from "./near-words.js";

describe("createNearWords", () => {
  const find = createNearWords(["issue", "issues", "tissue", "repository", "list", "lisp", "get"]);

  it.each([
    ["isue", ["issue"]],
    ["issuee", ["issue", "issues"]],
    ["ssue", ["issue"]],
    ["repositroy", ["repository"]],
    ["liss", ["lisp", "list"]],
    ["gte", []],
    ["unrelated", []],
  ])("%s may mean %j", (word, near) => {
    expect(find(word).map((found) => found.word)).toEqual(near);
  });

  it("forgives as many errors as it is told", () => {
    expect(find("reopsitroyx")).toEqual([]);
    expect(find("reopsitroyx", 3)).toEqual([{ word: "repository", distance: 3 }]);
    expect(find("repository", 0)).toEqual([]);
  });

  it("compares few of very many words that look alike, the same ones whatever their order", () => {
    const words = Array.from({ length: 20_000 }, (_, number) => `pre${10_000 + number}fix`);
    const start = performance.now();
    const found = [createNearWords(words), createNearWords(words.toReversed())].map((near) => near("pre1000ofix", 1));
    expect(found[0]).toContainEqual({ word: "pre10000fix", distance: 1 });
    expect(found[1]).toEqual(found[0]);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
