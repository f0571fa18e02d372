import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../../errors.js";
import { runAtOnce } from "../slices.js";
import { evaluateJmesPath } from "./evaluate.js";
import { parseJmesPath } from "./parser.js";
import { createSteps, MAX_STEPS } from "./steps.js";

function search(expression: string, value: unknown, limit = MAX_STEPS): unknown {
  return runAtOnce(evaluateJmesPath(parseJmesPath(expression), value, createSteps(limit)));
}

function slicesOf(expression: string, value: unknown): number {
  const work = evaluateJmesPath(parseJmesPath(expression), value, createSteps());
  let slices = 0;
  try {
    while (work.next().done !== true) slices += 1;
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
  }
  return slices;
}

/** Throws what is neither an answer nor a DiscoveryError. */
function attempt(run: () => unknown): string {
  try {
    run();
    return "answered";
  } catch (error) {
    if (error instanceof DiscoveryError) return error.message;
    throw error;
  }
}

const many = Array.from({ length: 100_000 }, (_, n) => n);
const grid = Array.from({ length: 1000 }, () => many.slice(0, 100));

describe("hostile expressions", () => {
  it.each([
    ["nested projections", "[*].[@, @, @, @, @][].[@, @, @, @, @][].[@, @, @, @, @][].[@, @, @, @, @]", many],
    ["nested filters", "[?`[1,2,3,4,5,6,7,8,9]`[?`[1,2,3,4,5,6,7,8,9]`[?@ > `0`]]]", many],
    ["a map inside a map", "map(&map(&map(&[@, @], `[1,2,3,4,5,6,7,8,9]`), `[1,2,3,4,5,6,7,8,9]`), @)", many],
    ["a sum for each element", '[*].[sum(`[1,2,3,4,5,6,7,8,9,10]`), sort(`[3,2,1]`), join(\'\', `["a","b"]`)]', many],
    ["many comparisons of large arrays", `${"[0] == [1] && ".repeat(50)}[0] == [1]`, [grid, structuredClone(grid)]],
    ["sorting an array for each element", "[*].sort_by(`[9,8,7,6,5,4,3,2,1]`, &@)[*].[@, @, @, @]", many],
  ])("stops %s at the step limit", (_, expression, data) => {
    expect(attempt(() => search(expression, data))).toMatch(/^The selection was stopped after 4,000,000 steps/);
  });

  it("stops a value that doubles with each pipe when it is written as a string", () => {
    const doubled = `${"[@, @] | ".repeat(60)}to_string(@)`;
    expect(attempt(() => search(doubled, "abcdefgh"))).toContain("creates a string of more than 16,000,000 characters");
    const joined = `${"join(@, [@, @]) | ".repeat(60)}@`;
    expect(attempt(() => search(joined, "abcdefgh"))).toContain("creates a string of more than 16,000,000 characters");
    const compared = `[${"[@, @] | ".repeat(60)}@, ${"[@, @] | ".repeat(60)}@] | [0] == [1]`;
    expect(attempt(() => search(compared, many.slice(0, 9)))).toMatch(/answered|stopped after/);
  });

  it("compares two equal values that share no parts within the step limit", () => {
    const wide = (n: number): unknown => (n === 0 ? [] : [wide(n - 1), wide(n - 1)]);
    expect(attempt(() => search("a == b", { a: wide(15), b: wide(15) }))).toBe("answered");
    expect(attempt(() => search("a == b", { a: wide(15), b: wide(15) }, 1000))).toContain("stopped after 1,000 steps");
  });

  it("accepts slices with huge numbers", () => {
    const huge = "9".repeat(400);
    expect(search(`[0:${huge}:${huge}]`, many)).toEqual([0]);
    expect(search(`[-${huge}:${huge}] | length(@)`, many)).toBe(100_000);
    expect(search(`[${huge}]`, many)).toBeNull();
    expect(search("[-99999999999:99999999999:-1]", many)).toEqual([]);
  });

  it.each([
    ["parentheses", `${"(".repeat(4000)}a${")".repeat(4000)}`],
    ["lists", `${"[".repeat(3000)}a${"]".repeat(3000)}`],
    ["negations", `${"!".repeat(9000)}a`],
    ["filters", `a${"[?a".repeat(2000)}${"]".repeat(2000)}`],
    ["sub-expressions", `a${".a".repeat(4000)}`],
    ["flattenings", "[]".repeat(4000)],
    ["alternatives", `a${"||a".repeat(3000)}`],
    ["functions", `${"length(".repeat(1200)}a${")".repeat(1200)}`],
    ["characters", "a".repeat(10_001)],
  ])("rejects too many %s with an error", (_, expression) => {
    expect(attempt(() => parseJmesPath(expression))).toMatch(
      /more than (?:100 levels of nesting|200 levels)|longer than/,
    );
  });

  it("reads a value with 100,000 levels of nesting", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(String(search("to_string(@)", deep))).toHaveLength(200_001);
    expect(search("@ == @ && length(@)", deep)).toBe(1);
    expect(search("[0] == [0][0]", deep)).toBe(false);
  });

  it.each([
    ["[*].a.b", many],
    ["[?@ > `5`]", many],
    ["sort(@)", [...many].reverse()],
    ["sort_by(@, &@)", many],
    ["[][]", grid],
    ["map(&to_string(@), @)", many],
    ["max(@)", many],
    ["[::-1]", many],
  ])("pauses during %s in proportion to the size of the data", (expression, data) => {
    const half = data.slice(0, data.length / 2);
    expect(slicesOf(expression, data)).toBeGreaterThanOrEqual(10);
    expect(slicesOf(expression, data) / slicesOf(expression, half)).toBeLessThan(3);
  });
});

describe("any expression", () => {
  const words = ["a", "b", "@", "*", "[", "]", "[]", "[?", "[0]", "[1:", ":", "{", "}", "(", ")", ",", "|", "||", "&&"];
  const more = [
    "&",
    "!",
    ".",
    "==",
    "<",
    "'x'",
    "`1`",
    "`[1,2]`",
    '"a"',
    "sort_by(",
    "length(",
    "map(&",
    "1",
    "-2",
    " ",
  ];

  it("gives an answer or a DiscoveryError", () => {
    const expression = fc.array(fc.constantFrom(...words, ...more), { maxLength: 25 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(expression, fc.string({ maxLength: 60 })), fc.jsonValue(), (text, data) => {
        attempt(() => search(text, data, 100_000));
      }),
      { numRuns: 3000 },
    );
  });

  it("gives an answer or a DiscoveryError if its syntax is right", () => {
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom("@", "a", "b", "`1`", "'x'", "`[3,1,2]`", "*", "[]", "[*]", "[0]", "[::2]"),
        tie("tree").map((inner) => `(${inner})`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `${one} | ${other}`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `(${one}) == (${other})`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `(${one}) && (${other})`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `[${one}, ${other}]`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `{k: ${one}, v: ${other}}`),
        fc.tuple(tie("tree"), tie("tree")).map(([one, other]) => `(${one})[?${other}]`),
        fc
          .tuple(fc.constantFrom("length", "sort", "keys", "to_string", "reverse", "sum", "max"), tie("tree"))
          .map(([name, inner]) => `${name}(${inner})`),
        fc
          .tuple(fc.constantFrom("sort_by", "max_by"), tie("tree"), tie("tree"))
          .map(([name, one, other]) => `${name}(${one}, &${other})`),
      ),
    }));
    const data = fc.oneof(fc.jsonValue(), fc.array(fc.record({ a: fc.integer(), b: fc.string() })));
    fc.assert(
      fc.property(tree, data, (expression, value) => {
        const message = attempt(() => search(expression, value, 100_000));
        expect(message).not.toContain("not valid JMESPath");
      }),
      { numRuns: 2000 },
    );
  });
});
