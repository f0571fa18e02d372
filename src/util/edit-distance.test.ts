import { describe, expect, it } from "vitest";
import { editDistance, nearestWord } from "./edit-distance.js";

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["same", "same", 0],
    ["comand", "command", 1],
    ["commmand", "command", 1],
    ["cimmand", "command", 1],
    ["naem", "name", 1],
    ["kitten", "sitting", 3],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe("nearestWord", () => {
  it.each([
    ["tolRules", "toolRules"],
    ["TOOLRULES", "toolRules"],
    ["source", "sources"],
    ["sevrers", "servers"],
    ["banana", undefined],
    ["x", undefined],
    ["s".repeat(1000), undefined],
  ])("of %j is %j", (word, nearest) => {
    expect(nearestWord(word, ["servers", "sources", "toolRules"])).toBe(nearest);
  });
});
