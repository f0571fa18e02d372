import { createContext, runInContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJsonValue } from "./check-value.js";
import { parseStrictJson } from "./parse-strict.js";

function outcome(given: unknown): unknown {
  const result = checkJsonValue(given);
  return result.kind === "value" ? result.value : result.violations.map(({ path, kind }) => `${path} ${kind}`.trim());
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const cycle: { self?: unknown } = {};
cycle.self = { back: cycle };
const named = Object.assign([1], { extra: 2 });
class Point {
  x = 1;
}

describe("checkJsonValue", () => {
  it.each<[string, unknown, string[]]>([
    ["undefined", undefined, ["not-a-value"]],
    ["undefined members", { a: undefined }, ["/a not-a-value"]],
    [
      "functions, symbols and bigints",
      [() => 1, Symbol("x"), 1n],
      ["/0 not-a-value", "/1 not-a-value", "/2 not-a-value"],
    ],
    ["NaN and infinity", [Number.NaN, Number.NEGATIVE_INFINITY], ["/0 not-a-value", "/1 not-a-value"]],
    ["unsafe integers and -0", { a: 2 ** 53, b: [-0] }, ["/a unsafe-integer", "/b/0 negative-zero"]],
    ["strings with lone surrogates or NUL", ["\ud800", "a\0b"], ["/0 lone-surrogate", "/1 null-character"]],
    ["such strings as keys", { "\ud800": 1, "\0": 2 }, ["/\ufffd lone-surrogate", "/\0 null-character"]],
    [
      "forbidden keys",
      JSON.parse('{"__proto__":{"x":1},"a":{"prototype":1}}'),
      ["/__proto__ forbidden-key", "/a/prototype forbidden-key"],
    ],
    [
      "getters",
      {
        get a() {
          throw new Error("It ran.");
        },
      },
      ["/a not-a-value"],
    ],
    ["hidden members", Object.defineProperty({}, "a", { value: 1 }), ["/a not-a-value"]],
    ["symbols as keys", { [Symbol("x")]: 1 }, ["not-plain"]],
    [
      "instances of classes",
      { p: new Point(), d: new Date(0), m: new Map(), b: Buffer.from("x") },
      ["/p not-plain", "/d not-plain", "/m not-plain", "/b not-plain"],
    ],
    ["boxed values", [Object("x"), Object(1)], ["/0 not-plain", "/1 not-plain"]],
    ["inherited members", Object.create({ a: 1 }), ["not-plain"]],
    ["objects of another realm", runInContext("({a: 1})", createContext()), ["not-plain"]],
    [
      "proxies",
      [
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error("It ran.");
            },
          },
        ),
      ],
      ["/0 not-plain"],
    ],
    ["lists with holes", Object.assign([1], { 2: 3 }), ["/1 not-a-value"]],
    ["lists with named members", { a: named }, ["/a not-plain"]],
    ["lists of a class", new (class extends Array<number> {})(), ["not-plain"]],
    ["cycles", cycle, ["/self/back not-plain"]],
    ["65 levels", nested(65), ["too-deep"]],
    ["200,000 levels", nested(200_000), ["too-deep"]],
    ["too many keys", Array.from({ length: 25_001 }, () => ({ a: 0 })), ["too-many-keys"]],
    ["too many values", Array.from({ length: 100_000 }, () => 0), ["too-many-values"]],
    ["a list of enormous length", { a: Object.assign([], { length: 2 ** 32 - 1 }) }, ["too-many-values"]],
  ])("rejects %s", (_, given, expected) => {
    expect(outcome(given)).toEqual(expected);
  });

  it("limits the size that shared parts expand to", () => {
    let value: unknown = [];
    for (let level = 0; level < 60; level += 1) value = [value, value];
    expect(outcome(value)).toEqual(["too-many-values"]);
  });

  it("accepts shared parts without a cycle", () => {
    const part = { a: 1 };
    expect(outcome({ x: part, y: [part, part] })).toEqual({ x: { a: 1 }, y: [{ a: 1 }, { a: 1 }] });
  });

  it("accepts objects without a prototype, and returns plain ones", () => {
    expect(outcome(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 });
  });

  it("returns a copy that the caller cannot change any more", () => {
    const given = { list: [{ n: 1 }] };
    const result = checkJsonValue(given);
    given.list[0]!.n = 2;
    given.list.push({ n: 3 });
    expect(result).toEqual({ kind: "value", value: { list: [{ n: 1 }] } });
  });

  it("reports at most a hundred violations", () => {
    expect(outcome(Array.from({ length: 5000 }, () => undefined))).toHaveLength(100);
  });

  it("accepts as a value whatever it accepts as text, and copies it exactly", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const parsed = parseStrictJson(text);
        const checked = checkJsonValue(JSON.parse(text));
        expect(parsed.kind === "value" ? checked : parsed).toStrictEqual(parsed);
      }),
      { numRuns: 1000 },
    );
  });

  it("never throws, and accepts nothing that JSON would change", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        (given) => {
          const result = checkJsonValue(given);
          const value = result.kind === "value" ? result.value : null;
          expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
