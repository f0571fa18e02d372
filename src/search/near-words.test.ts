import { describe, expect, it } from "vitest";
import { expectCpuTime } from "../../test/support/cost.js";
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
  ])("corrects %s to %j", (word, near) => {
    expect(find(word).map((found) => found.word)).toEqual(near);
  });

  it("accepts as many errors as requested", () => {
    expect(find("reopsitroyx")).toEqual([]);
    expect(find("reopsitroyx", 3)).toEqual([{ word: "repository", distance: 3 }]);
    expect(find("repository", 0)).toEqual([]);
  });

  const similarWords = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => `pre${10_000 + number}fix`);

  it("finds the same words among very many similar ones, in any order", () => {
    const words = similarWords(20_000);
    const found = [createNearWords(words), createNearWords(words.toReversed())].map((near) => near("pre1000ofix", 1));
    expect(found[0]).toContainEqual({ word: "pre10000fix", distance: 1 });
    expect(found[1]).toEqual(found[0]);
  });

  it("takes no longer with 20,000 similar words than with 1,000", async () => {
    const lookUp = (count: number) => {
      const near = createNearWords(similarWords(count));
      return () => {
        for (let number = 0; number < 20; number += 1) near(`pre1000${number}ofix`, 1);
      };
    };
    await expectCpuTime(lookUp(20_000), { maxRatio: 5, control: lookUp(1_000) });
  });
});
