import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../../errors.js";
import { runAtOnce } from "../slices.js";
import { evaluateJmesPath } from "./evaluate.js";
import { parseJmesPath } from "./parser.js";
import { createSteps } from "./steps.js";

function search(expression: string, value: unknown): unknown {
  return runAtOnce(evaluateJmesPath(parseJmesPath(expression), value, createSteps()));
}

const values = {
  n: -3.5,
  ints: [3, 1, 2],
  words: ["pear", "Apple", "fig"],
  mixed: [1, "a"],
  text: "añ😀z",
  people: [
    { who: "Bo", age: 40, joined: "2021" },
    { who: "Al", age: 31, joined: "2019" },
    { who: "Cy", age: 40, joined: "2020" },
  ],
  map: { b: 1, a: 2 },
  none: null,
  list: [],
};

describe("errors", () => {
  it.each([
    ["", "character 1: expected the start of an expression, found the end of the expression"],
    ["foo.", 'character 5: expected a name, "*", "[" or "{" after "."'],
    [".foo", "character 1: expected the start of an expression"],
    ["foo bar", 'character 5: expected an operator or the end of the expression, found "bar"'],
    ["foo.1", 'character 5: expected a name, "*", "[" or "{" after "."'],
    ["foo-bar", 'character 4: unexpected "-"'],
    ["a - b", 'character 3: unexpected "-"'],
    ["foo[", "character 5: expected a number"],
    ["foo[abc]", 'character 5: expected a number, ":" or "*]"'],
    ["foo[1", "character 6"],
    ["foo[1 2]", "character 7"],
    ["foo[0:1:2:3]", 'character 10: expected "]"'],
    ["foo[::0]", "the step of a slice must not be 0"],
    ["foo[?a", 'character 7: expected "]"'],
    ["foo[?a = 'b']", '"=="'],
    ["[a, ", "character 5: expected the start of an expression"],
    ["[a b]", 'character 4: expected "," or "]"'],
    ["{a}", 'character 3: expected ":"'],
    ["{a: b", 'character 6: expected "," or "}"'],
    ["{1: b}", "character 2: expected a name"],
    ["{}", "character 2: expected a name"],
    ["(a", 'character 3: expected ")"'],
    ["a)", "character 2"],
    ["'abc", "character 1: the single quote that starts here is not closed"],
    ['"abc', "character 1: the double quote that starts here is not closed"],
    ["`1", "character 1: the backtick that starts here is not closed"],
    ["`{1}`", "character 1: the literal between backticks is not valid JSON"],
    ['"\\x"', "character 1: the quoted name is not a valid JSON string"],
    ["$.a", 'leave out "$."'],
    ["a #", 'character 3: unexpected "#"'],
    ["&a", "character 1: expected the start of an expression"],
    ["a || ", "character 6"],
    ["a &&& b", "character 5"],
    ["*[0]a", "character 5"],
    ['"length"(@)', "the name of a function has no quotes"],
    ["size(@)", 'no function is named "size". Functions: abs, avg'],
    ["toString(@)", 'no function is named "toString"'],
    ["length()", "length takes 1 argument, found 0"],
    ["length(a, b)", "length takes 1 argument, found 2"],
    ["merge()", "merge takes at least 1 argument, found 0"],
    ["sort_by(a, b)", "argument 2 of sort_by must be an expression with & before it"],
    ["length(&a)", "argument 1 of length must not start with &"],
  ])("names the position and the expected syntax in %s", (expression, message) => {
    expect(() => parseJmesPath(expression)).toThrow(DiscoveryError);
    expect(() => parseJmesPath(expression)).toThrow(message);
  });

  it.each([
    ["abs(text)", "The function abs of the selection needs a number as argument 1, but the value is a string."],
    ["length(n)", "needs a string or an array or an object as argument 1, but the value is a number"],
    ["sum(words)", "needs an array of numbers as argument 1, but the value is an array with a string at index 0"],
    ["sum(n)", "needs an array of numbers as argument 1, but the value is a number"],
    ["join(', ', ints)", "needs an array of strings as argument 2"],
    ["sort(mixed)", "an array with a string at index 1"],
    ["sort(people)", "needs an array of numbers or strings"],
    ["keys(ints)", "needs an object as argument 1, but the value is an array"],
    ["merge(map, none)", "needs an object as argument 2, but the value is null"],
    ["sort_by(people, &missing)", "the value for element 0 is null"],
    ["max_by(mixed, &@)", "the value for element 1 is a string after a number"],
    ["missing.length(@)", "needs a string or an array or an object as argument 1, but the value is null"],
  ])("names the function and the wrong value in %s", (expression, message) => {
    expect(() => search(expression, values)).toThrow(DiscoveryError);
    expect(() => search(expression, values)).toThrow(message);
  });
});
