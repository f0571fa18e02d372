import fc from "fast-check";
import { expect, it } from "vitest";
import { summarizeDifference, textDifference } from "./text-difference.js";

const shown = (before: string, after: string) =>
  textDifference(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

it.each<[string, string, string, string[]]>([
  ["an added sentence", "One. Two.", "One. Evil. Two.", [" One. ", "+Evil. ", " Two."]],
  ["a removed line", "One\nTwo\nThree", "One\nThree", [" One\n", "-Two\n", " Three"]],
  ["a changed sentence", "A. B. C.", "A. X. C.", [" A. ", "-B. ", "+X. ", " C."]],
  ["two changes", "a\nb\nc\nd\n", "b\nx\nd\n", ["-a\n", " b\n", "-c\n", "+x\n", " d\n"]],
  ["white space alone", "One. Two", "One.  Two", [" One. ", "-Two", "+ Two"]],
  ["a completely new text", "", "New.", ["+New."]],
  ["no change", "Same.", "Same.", [" Same."]],
])("shows %s", (_, before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

it("contains both texts completely, for any input", () => {
  const text = fc.array(fc.constantFrom("a. ", "b\n", "c! ", "d", " ", "?")).map((words) => words.join(""));
  const joined = (before: string, after: string, kind: "removed" | "added") =>
    textDifference(before, after)
      .filter((piece) => piece.kind === "same" || piece.kind === kind)
      .map((piece) => piece.text)
      .join("");
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(joined(before, after, "removed")).toBe(before);
      expect(joined(before, after, "added")).toBe(after);
    }),
    { seed: 7 },
  );
});

it("accepts texts of any length", () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}. `).join("");
  expect(textDifference(long("a"), long("b"))).toHaveLength(6_000);
});

it.each<[string, string | undefined, string | undefined, string]>([
  ["a text that was added", undefined, "New.", 'none → "New."'],
  ["a text that was removed", "Old.", undefined, '"Old." → none'],
  ["a word", "Reads a file.", "Reads one file.", '"Reads a file." → "Reads one file."'],
  [
    "a word inside a long text, with the words around it",
    `${"before ".repeat(20)}old${" after".repeat(20)}`,
    `${"before ".repeat(20)}new${" after".repeat(20)}`,
    '…"before before old after after after a"… → …"before before new after after after a"…',
  ],
  ["a changed low surrogate", "a😀b", "a😁b", '"a😀b" → "a😁b"'],
])("summarizes %s in one line", (_, before, after, expected) => {
  expect(summarizeDifference(before, after)).toBe(expected);
});
