import { describe, expect, it } from "vitest";
import { displayWidth, sanitize, sanitizeJson } from "./terminal.js";

describe("sanitize", () => {
  it.each([
    ["a colour escape", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["a hyperlink escape", "\u001b]8;;http://evil\u0007x", "\\u001b]8;;http://evil\\u0007x"],
    ["a one-byte control sequence", "\u009b2J", "\\u009b2J"],
    ["a backspace and a lone carriage return", "a\bb\rc", "a\\u0008b\\u000dc"],
    ["a NUL and a delete", "\0\u007f", "\\u0000\\u007f"],
    ["an override of the writing direction", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
    ["an invisible space and a byte order mark", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
    ["tag characters", "a\u{e0041}", "a\\u{e0041}"],
    ["line separators that some terminals obey", "a\u2028b\u0085", "a\\u2028b\\u0085"],
    ["a lone surrogate", "a\ud800", "a\\ud800"],
    ["blank letters", "a\u3164b\u2800", "a\\u{3164}b\\u{2800}"],
    ["a joiner between Latin letters", "pay\u200dment", "pay\\u{200d}ment"],
  ])("shows %s as text", (_name, text, expected) => {
    expect(sanitize(text)).toBe(expected);
  });

  it.each([
    ["line feeds and tabs", "a\n\tb"],
    ["letters of all scripts", "žluťoučký кот 猫 قطة"],
    ["joined emoji", "👩‍💻 ok"],
    ["the joiner that Persian needs", "می‌خواهم"],
  ])("keeps %s", (_name, text) => {
    expect(sanitize(text)).toBe(text);
  });

  it("converts Windows line breaks to line feeds", () => {
    expect(sanitize("a\r\nb")).toBe("a\nb");
  });
});

describe("sanitizeJson", () => {
  it("returns equivalent JSON without characters that control a terminal", () => {
    const value = { text: "a\u009b2J\u202e\u{e0041}\u001b\n\t\u3164b" };
    const json = sanitizeJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    for (const character of ["\u009b", "\u202e", "\u001b", "\u{e0041}", "\u3164"])
      expect(json).not.toContain(character);
  });
});

describe("displayWidth", () => {
  it.each([
    ["abc", 3],
    ["猫", 2],
    ["ž", 1],
    ["z\u030c", 1],
    ["🚀", 2],
    ["", 0],
  ])("measures %j as %i cells", (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });
});
