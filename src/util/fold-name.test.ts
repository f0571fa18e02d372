import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldName, isDisguised, mixesScripts } from "./fold-name.js";

describe("foldName", () => {
  it.each([
    ["upper case", "Delete_File"],
    ["full-width letters", "ｄｅｌｅｔｅ_file"],
    ["a combining mark", "delete\u0301_file"],
    ["a precomposed letter with a mark", "d\u00e9lete_file"],
    ["an enclosing mark", "d\u20ddelete_file"],
    ["a zero-width space", "del\u200bete_file"],
    ["a zero-width joiner", "del\u200dete_file"],
    ["a soft hyphen", "del\u00adete_file"],
    ["a Hangul filler", "delete\u3164_file"],
    ["a tag character", "delete\u{e0041}_file"],
    ["a variation selector", "delete\ufe0f_file"],
    ["a right-to-left override", "\u202edelete_file"],
    ["a trailing newline", "delete_file\n"],
    ["a leading no-break space", "\u00a0delete_file"],
    ["a NUL", "delete\u0000_file"],
    ["an unpaired surrogate", "delete\ud800_file"],
    ["a blank Braille pattern", "delete\u2800_file"],
    ["a ligature", "delete_\ufb01le"],
    ["mathematical letters", "𝐝𝐞𝐥𝐞𝐭𝐞_file"],
    ["a dotless i", "delete_f\u0131le"],
  ])("ignores %s", (_, name) => {
    expect(foldName(name)).toBe("delete_file");
  });

  it.each([
    ["ΣΑΣ", "σας"],
    ["STRASSE", "straße"],
    ["ſend", "SEND"],
    ["İSTANBUL", "istanbul"],
    ["\u212Aey", "key"],
  ])("gives %j and %j the same normal form", (left, right) => {
    expect(foldName(left)).toBe(foldName(right));
  });

  it.each([
    ["ガ", "カ"],
    ["हिन्दी", "हन्द"],
    ["delete_file", "delete-file"],
  ])("keeps %j and %j apart", (left, right) => {
    expect(foldName(left)).not.toBe(foldName(right));
  });

  it("is stable: the normal form of a normal form is the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 12 }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("isDisguised and mixesScripts", () => {
  it.each([
    ["createIssue", false],
    ["get user", false],
    ["get_user ", true],
    ["delete\u200b_file", true],
    ["ｄelete", true],
    ["löschen", true],
    ["删除文件", false],
  ])("tells whether %j differs from its normal form in more than case", (name, expected) => {
    expect(isDisguised(name)).toBe(expected);
  });

  it.each([
    ["d\u0435lete_file", true],
    ["удалить", false],
    ["delete_file", false],
    ["αβγ", false],
  ])("tells whether %j mixes scripts that have look-alikes", (name, expected) => {
    expect(mixesScripts(name)).toBe(expected);
  });
});
