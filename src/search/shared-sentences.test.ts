import { describe, expect, it } from "vitest";
import { dropSharedSentences, findSharedSentences } from "./shared-sentences.js";

const strip = (descriptions: readonly string[]): string[] => {
  const shared = findSharedSentences(descriptions);
  return descriptions.map((one) => dropSharedSentences(one, shared));
};

describe("shared sentences", () => {
  it("are removed from the beginning and the end", () => {
    const texts = ["Creates", "Reads", "Deletes"].map(
      (verb) => `Acme MCP server.\n${verb} a card. Needs a key. See docs.`,
    );
    expect(strip(texts)).toEqual(["Creates a card.", "Reads a card.", "Deletes a card."]);
  });

  it("are removed even if a few tools do not have them", () => {
    const texts = [...Array.from({ length: 9 }, (_, n) => `Part of Acme. Tool ${n}.`), "Another one."];
    expect(strip(texts)).toEqual([...Array.from({ length: 9 }, (_, n) => `Tool ${n}.`), "Another one."]);
  });

  it.each<[string, string[]]>([
    ["two tools", ["Part of Acme. One.", "Part of Acme. Two."]],
    ["half of the tools", ["Acme. One.", "Acme. Two.", "Acme. Three.", "Four.", "Five.", "Six."]],
    ["all tools, if it says that they are deprecated", ["Deprecated. A.", "Deprecated. B.", "Deprecated. C."]],
    ["tools without any other text", ["Runs it.", "Runs it.", "Runs it."]],
    ["the beginning of a longer word", ["v1", "v1", "v1", "v1", "v1.2 reads a file"].map((one) => one)],
  ])("stay for %s", (_, texts) => {
    expect(strip(texts)).toEqual(texts);
  });

  it("are found quickly in long descriptions", () => {
    const started = performance.now();
    findSharedSentences(Array.from({ length: 1000 }, (_, n) => `${"a b. ".repeat(2000)}${n}`));
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
