import { describe, expect, it } from "vitest";
import { revealedJson, revealedName } from "./reveal.js";

describe("revealedJson", () => {
  it.each([
    ["a zero-width joiner", "a\u200db", '"a\\u200db"'],
    ["a zero-width space", "a\u200bb", '"a\\u200bb"'],
    ["an override of the direction", "a\u202eb", '"a\\u202eb"'],
    ["a variation selector", "a\ufe0fb", '"a\\ufe0fb"'],
    ["a letter that is blank", "a\u3164b", '"a\\u3164b"'],
    ["a pattern of Braille that is blank", "a\u2800b", '"a\\u2800b"'],
    ["a space that does not break", "a\u00a0b", '"a\\u00a0b"'],
    ["a tag beyond the first plane", "a\u{e0041}b", '"a\\udb40\\udc41b"'],
    ["a line separator", "a\u2028b", '"a\\u2028b"'],
    ["controls", "a\u001b[2J\u009b\nb", '"a\\u001b[2J\\u009b\\nb"'],
    ["nothing of what can be seen", "päth 日本 🐈 x", '"päth 日本 🐈 x"'],
  ])("shows %s", (_name, value, expected) => {
    expect(revealedJson(value)).toBe(expected);
    expect(JSON.parse(revealedJson(value))).toBe(value);
  });

  it("contains only line breaks of its own layout", () => {
    expect(revealedJson({ a: "x\n}" }, 2)).toBe('{\n  "a": "x\\n}"\n}');
  });
});

describe("revealedName", () => {
  it.each([
    ["files:delete_file", "files:delete_file"],
    ["x Risk: low", '"x\\u0020Risk:\\u0020low"'],
    ["x\nRisk: low", '"x\\nRisk:\\u0020low"'],
    ["日本", '"日本"'],
    ["", '""'],
  ])("makes one word of %j", (name, expected) => {
    expect(revealedName(name)).toBe(expected);
  });
});
