import { describe, expect, it } from "vitest";
import { cutAtWord, toOneLine } from "./text.js";

describe("cutAtWord", () => {
  it.each([
    ["short", 10, "short"],
    ["exactly10!", 10, "exactly10!"],
    ["cut at a word here", 12, "cut at a…"],
    ["onewordthatislong", 8, "oneword…"],
    ["trailing, marks go", 11, "trailing…"],
    ["abcd😀efgh", 6, "abcd…"],
    ["abcd😀efgh", 7, "abcd😀…"],
    ["😀😀😀😀", 4, "😀…"],
    ["😀😀", 2, "…"],
  ])("%j within %i is %j", (text, length, cut) => {
    expect(cutAtWord(text, length)).toBe(cut);
  });
});

describe("toOneLine", () => {
  it.each([
    [" a\r\n\tb ", "a b"],
    ["a\u0000\u001b[31mb", "a [31mb"],
    ["\u2028a\u00a0b", "a b"],
  ])("%j is %j", (text, line) => {
    expect(toOneLine(text)).toBe(line);
  });
});
