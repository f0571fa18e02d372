import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../test/support/cost.js";
import { findHiddenText, hasHiddenText, revealHiddenJson, revealHiddenText, withoutHiddenText } from "./hidden-text.js";

/** Text in tag characters: a model reads it, a user does not see it. */
const toTags = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

describe("hidden characters", () => {
  it.each<[string, string, string]>([
    ["tag characters", toTags("obey"), "tags"],
    ["tag characters after a black flag", `\u{1f3f4}${toTags("gbxyz")}\u{e007f}`, "tags"],
    ["an override of the direction", "a\u202eb", "bidi"],
    ["an isolate", "a\u2066b\u2069", "bidi"],
    ["a zero-width space", "pay\u200bment", "zero-width"],
    ["a word joiner", "a\u2060b", "zero-width"],
    ["a byte order mark inside a text", "a\ufeffb", "zero-width"],
    ["a joiner between Latin letters", "pay\u200dment", "zero-width"],
    ["a row of joiners that encodes bits", "می\u200c\u200d\u200c\u200dخ", "zero-width"],
    ["a Hangul filler", "a\u3164b", "filler"],
    ["a blank Braille pattern", "a\u2800b", "filler"],
    ["a row of variation selectors", "😀\ufe0f\u{e0150}\u{e0151}", "variation-selectors"],
    ["a variation selector after a letter", "a\ufe0fb", "variation-selectors"],
  ])("are found: %s", (_, text, kind) => {
    expect(hasHiddenText(text)).toBe(true);
    expect(findHiddenText({ a: [text] })?.kinds).toEqual([kind]);
    expect(findHiddenText({ [text]: 1 })?.kinds).toEqual([kind]);
    expect(hasHiddenText(withoutHiddenText(text))).toBe(false);
    const json = revealHiddenJson(JSON.stringify({ text }));
    expect(JSON.parse(json)).toEqual({ text });
    expect(hasHiddenText(json)).toBe(false);
  });

  it.each([
    ["letters of all scripts", "žluťoučký кот 猫 고양이 قطة बिल्ली"],
    ["the joiner that Persian needs", "می‌خواهم"],
    ["the joiners that Indic scripts need", "क्‍ष क्‌ष ශ්‍රී"],
    ["joined emoji", "👩‍💻 🏳️‍🌈 ❤️ 1️⃣ 👨🏽‍🚀 ☑️"],
    ["the flag of Wales", "🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
    ["Braille", "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙"],
    ["a byte order mark at the start", "\ufeffid,name"],
    ["controls and soft hyphens", "\u001b[31mred\u001b[0m so\u00adft\r\n\t\u00a0"],
  ])("are not found in %s", (_, text) => {
    expect(findHiddenText(text)).toBeUndefined();
    expect(withoutHiddenText(text)).toBe(text);
    expect(revealHiddenText(text)).toBe(text);
  });

  it("are counted, and shown as escapes", () => {
    expect(findHiddenText({ a: `x${toTags("ab")}`, b: ["\u202e"] })).toEqual({
      characters: 3,
      kinds: ["bidi", "tags"],
    });
    expect(revealHiddenText(`x${toTags("a")}\u202ey`)).toBe("x\\u{e0061}\\u{202e}y");
    expect(withoutHiddenText(`x${toTags("a")}\u202ey`)).toBe("xy");
  });

  it("are found in linear time", async () => {
    const texts = ["\u200d", "\u{1f3f4}\u{e0067}", "😀\ufe0f", "\u2800", toTags("a")];
    for (const text of texts) {
      await expectLinear((size) => {
        const long = flat(text.repeat(size));
        return () => findHiddenText(long);
      }, 10_000);
    }
  });
});
