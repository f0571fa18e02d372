import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLine } from "./split-line.js";

describe("splitLine", () => {
  it("divides a line into pieces that are together the line", () => {
    const word = fc.constantFrom("word", "1,234,567", "end.", "😀", "a;", "x".repeat(400), "今天。", "|", "  ", ", ");
    const line = fc
      .array(word, { maxLength: 80 })
      .chain((words) => fc.constantFrom(" ", "", ",").map((glue) => words.join(glue)));
    fc.assert(
      fc.property(line, (text) => {
        const pieces = splitLine(text);
        expect(pieces.join("")).toBe(text);
        expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(540);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it("divides at the ends of sentences and at commas", () => {
    const sentence = `${"word ".repeat(25)}end. `;
    expect(splitLine(sentence.repeat(3))).toEqual([sentence, sentence, sentence]);
    const part = `${"word ".repeat(20)}part, `;
    expect(splitLine(part.repeat(3))).toEqual([part, part, part]);
  });
});
