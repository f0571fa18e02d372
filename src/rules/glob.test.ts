import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuTime, expectLinear } from "../../test/support/cost.js";
import { compileGlob } from "./glob.js";
import { foldName } from "../util/fold-name.js";

const globMatches = (glob: string, text: string): boolean => compileGlob(glob).test(foldName(text));

describe("compileGlob", () => {
  it.each([
    ["*", "anything at all", true],
    ["*", "", true],
    ["create_issue", "create_issue", true],
    ["create_issue", "create_issues", false],
    ["CREATE_*", "create_issue", true],
    ["create_*", "Create_Issue", true],
    ["*_issue", "create_issue", true],
    ["*_issue", "create_issues", false],
    ["*issue*", "list_issues", true],
    ["*delete*", "github:delete/file", true],
    ["*file", ".hidden/file", true],
    ["a*c", "abbbc", true],
    ["a*c", "ac", true],
    ["ab*bc", "abc", false],
    ["a*b*c", "a-b-b-c", true],
    ["*ab*ab", "abab", true],
    ["*ab*ab", "aba", false],
    ["get_?", "get_x", true],
    ["get_?", "get_", false],
    ["get_?", "get_😀", true],
    ["*?", "", false],
    ["*?z", "😀z", true],
    ["[abc]at", "bat", true],
    ["[abc]at", "rat", false],
    ["[a-c]at", "BAT", true],
    ["[A-C]at", "bat", true],
    ["[!a-c]at", "bat", false],
    ["[^a-c]at", "rat", true],
    ["[!a]", "", false],
    ["[α-ω]", "Λ", true],
    ["[A-Z]", "ß", false],
    ["[!A-Z]", "ß", false],
    ["[!A-Z][!A-Z]", "éß", false],
    ["[xß]", "ss", true],
    ["[é-ë]x", "EX", true],
    ["[ß]", "ß", true],
    ["[Α-Ω]*", "ΣΑΣ", true],
    ["[𐐀-𐐧]", "𐐨", true],
    ["[a-]", "-", true],
    ["[\\]]", "]", true],
    ["{get,list}_*", "list_files", true],
    ["{get,list}_*", "set_files", false],
    ["{a,b{c,d}}x", "bdx", true],
    ["{a,b{c,d}}x", "bx", false],
    ["file{,s}", "file", true],
    ["file{,s}", "files", true],
    ["*{read,write}", "can_write", true],
    ["*{*a,b*}*", "xax", true],
    ["a,b", "a,b", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["\\{a,b\\}", "{a,b}", true],
    ["c++", "c++", true],
    ["*delete*", "ｄｅｌｅｔｅ_all", true],
    ["x.y", "xzy", false],
  ])("matches %j against %j: %j", (glob, text, expected) => {
    expect(globMatches(glob, text)).toBe(expected);
  });

  it.each([
    ["[abc", 'The glob "[abc" has an unclosed "[".'],
    ["[!", 'The glob "[!" has an unclosed "[".'],
    ["[a-", 'The glob "[a-" has an unclosed "[".'],
    ["[]", 'The glob "[]" has an empty "[ ]".'],
    ["[z-a]", 'The glob "[z-a]" has a range in [ ] whose end comes before its start.'],
    ["{a", 'The glob "{a" has an unclosed "{".'],
    ["{a,{b}", 'The glob "{a,{b}" has an unclosed "{".'],
    ["{}", 'The glob "{}" has an empty "{ }".'],
    ["a]", 'The glob "a]" has an unmatched "]" (write "\\]" for the character itself).'],
    ["a}", 'The glob "a}" has an unmatched "}" (write "\\}" for the character itself).'],
    ["a\\", 'The glob "a\\" ends with an unfinished escape "\\".'],
    ["", 'The glob "" is empty.'],
    ["{a,b}".repeat(9), `The glob "${"{a,b}".repeat(9)}" has more than 256 alternatives.`],
  ])("rejects %j", (glob, message) => {
    expect(() => compileGlob(glob)).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR", message }));
  });

  it.each([
    "*a*a*a*a*a*ab",
    "**/**/**/**/**/x",
    `${"*a".repeat(100)}*b`,
    `*${"?".repeat(100)}[!a]`,
    `${"[a-z]*".repeat(80)}!`,
    "*{a,aa,aaa}*{a,aa,aaa}*{a,aa,aaa}*b",
    `${"{".repeat(100)}a,b${"}".repeat(100)}`,
  ])("matches the hostile glob %j in linear time", async (glob) => {
    const { test } = compileGlob(glob);
    // A backtracking matcher takes exponential time: 24 characters are enough to detect it, and few enough to finish.
    await expectLinear((length) => {
      const names = Array.from({ length: 2_000 }, (_, index) => `${"a".repeat(length)}${index}`);
      return () => expect(names.filter((name) => test(name))).toEqual([]);
    }, 3);
    expect(test("a".repeat(10_000))).toBe(false);
  });

  it("rejects too many alternatives without expanding them", async () => {
    const reject = (times: number) => () => expect(() => compileGlob("{a,b}".repeat(times))).toThrow("alternatives");
    await expectCpuTime(reject(18), { maxRatio: 10, control: reject(9) });
    reject(100)();
  });

  it("agrees with a naive matcher that tries every possibility", () => {
    const glob = fc.array(fc.constantFrom("*", "?", "a", "b", "[a]", "[!a]", "{a,bb}", "{,b*}"), {
      minLength: 1,
      maxLength: 7,
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(glob, text, (parts, subject) => {
        expect(globMatches(parts.join(""), subject)).toBe(matchesNaively(parts, subject));
      }),
      { numRuns: 3_000 },
    );
  });
});

function matchesNaively(parts: readonly string[], text: string): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return text === "";
  const first = text.slice(0, 1);
  const tail = text.slice(1);
  switch (part) {
    case "*":
      return matchesNaively(rest, text) || (text !== "" && matchesNaively(parts, tail));
    case "?":
      return text !== "" && matchesNaively(rest, tail);
    case "[a]":
      return first === "a" && matchesNaively(rest, tail);
    case "[!a]":
      return text !== "" && first !== "a" && matchesNaively(rest, tail);
    case "{a,bb}":
      return matchesNaively(["a", ...rest], text) || matchesNaively(["b", "b", ...rest], text);
    case "{,b*}":
      return matchesNaively(rest, text) || matchesNaively(["b", "*", ...rest], text);
    default:
      return first === part && matchesNaively(rest, tail);
  }
}
