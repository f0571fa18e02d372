import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { ExactNumber, toJsonNumber } from "./exact-number.js";
import { readLenientJson } from "./lenient-json.js";
import type { ReadRequest } from "./read-request.js";
import { readResult } from "./read-result.js";
import { runAtOnce } from "./slices.js";
import { viewResult } from "./view-result.js";
import { writeJsonText } from "./write-json.js";

const NUMBERS = '{"id":12345678901234567890,"big":1e400,"price":0.1000,"zero":-0,"mean":2.50,"plain":17}';
const textResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });
const textOf = ({ content }: CallResult): string => content.map((item) => String(item["text"])).join("\n");
const read = (result: CallResult, request: ReadRequest): string =>
  textOf(runAtOnce(readResult(result, request, { maxTokens: 400 })));
const select = (text: string, expression: string): string => read(textResult(text), { select: expression });

describe("numbers that JavaScript cannot hold", () => {
  it("do not change in a view", () => {
    const text = `{"body":"${"word ".repeat(900)}","rows":[${`${NUMBERS},`.repeat(9)}${NUMBERS}],"one":${NUMBERS}}`;
    const shown = textOf(runAtOnce(viewResult(textResult(text), { maxTokens: 300, describeNext: () => "[next]" })));
    for (const number of ["12345678901234567890", "1e400", "0.1000", "-0", "2.50"]) expect(shown).toContain(number);
    expect(shown).not.toMatch(/12345678901234567000|Infinity/);
  });

  it("do not change when they are selected or read as lines or items", () => {
    expect(select(NUMBERS, "@")).toBe(NUMBERS);
    expect(select(NUMBERS, "id")).toBe("12345678901234567890");
    expect(select(NUMBERS, "{a: id, b: [big, price]}")).toBe('{"a":12345678901234567890,"b":[1e400,0.1000]}');
    expect(read(textResult(NUMBERS), { lines: "2-3" })).toContain('  "id": 12345678901234567890,\n  "big": 1e400,');
    expect(read(textResult(`[${NUMBERS}]`), { items: "0" })).toContain(`0: ${NUMBERS}`);
    expect(select(NUMBERS, "to_string(@)")).toBe(NUMBERS);
  });

  it("do not change if the structured content has them too, rounded", () => {
    const result = { ...textResult(NUMBERS), structuredContent: JSON.parse(NUMBERS) as object };
    expect(read(result as CallResult, { select: "id" })).toBe("12345678901234567890");
    const wrapped = { ...textResult(NUMBERS), structuredContent: { result: JSON.parse(NUMBERS) as object } };
    expect(read(wrapped as CallResult, { select: "result.id" })).toBe("12345678901234567890");
  });

  it("are compared, sorted and filtered with all their digits", () => {
    const rows = '[{"n":9007199254740993},{"n":9007199254740992},{"n":9007199254740994},{"n":2.50},{"n":2.5}]';
    expect(select(rows, "[?n==`9007199254740993`]")).toBe('[{"n":9007199254740993}]');
    expect(select(rows, "[?n>`9007199254740993`].n")).toBe("[9007199254740994]");
    expect(select(rows, "[?n==`2.5`] | length(@)")).toBe("2");
    expect(select(rows, "sort_by(@, &n)[*].n")).toBe("[2.50,2.5,9007199254740992,9007199254740993,9007199254740994]");
    expect(select(rows, "max([*].n)")).toBe("9007199254740994");
    expect(select(rows, "contains([*].n, `9007199254740995`)")).toBe("false");
    expect(select("[-12345678901234567890]", "[abs([0]), type([0]), floor([0])]")).toBe(
      '[12345678901234567890,"number",-12345678901234567890]',
    );
  });

  it("have no members, and are true", () => {
    expect(select(NUMBERS, "id.text || 'none'")).toBe("none");
    expect(select(NUMBERS, "[id && 'yes', keys(@)[0]]")).toBe('["yes","id"]');
  });

  it("are never written as null", () => {
    expect(() => select("[1e308,1e308]", "sum(@)")).toThrow("The result of sum is too large for a number.");
    expect(() => select("[1e400]", "avg(@)")).toThrow("too large");
  });

  it("keep their text unless JavaScript writes the same", () => {
    for (const text of ["0", "-1", "17", "0.1", "9007199254740991", "1e+21"])
      expect(toJsonNumber(text)).toBe(Number(text));
    for (const text of ["1.0", "-0", "1E5", "9007199254740993", "0.10000000000000000001"])
      expect(String(toJsonNumber(text))).toBe(text);
  });
});

describe("readLenientJson", () => {
  const parse = (text: string) => runAtOnce(readLenientJson(text, 0));
  const numbers = fc.constantFrom("1", "-0", "1.50", "1e400", "12345678901234567890", "0.5", "1E+2", "-3.25e-7");
  const strings = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("[1.50]", 'a", 1e5: ', "\u00011.5", ": 12345678901234567890,", "\\", "{", "]"),
  );
  const space = fc.constantFrom("", " ", "\n  ", "\t");
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      numbers,
      strings.map((text) => JSON.stringify(text)),
      fc.constantFrom("true", "false", "null", "[]", "{}"),
      fc
        .tuple(fc.array(tie("json"), { minLength: 1, maxLength: 5 }), space)
        .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
      fc
        .tuple(fc.uniqueArray(strings, { minLength: 1, maxLength: 5 }), tie("json"), space)
        .map(
          ([keys, value, gap]) =>
            `{${keys.map((key) => `${gap}${JSON.stringify(key)}${gap}:${gap}${value}`).join(",")}}`,
        ),
    ),
  }));
  const document = json.map((text) => `[${text}]`);

  it("reads any JSON so that writing it gives the same text without the spaces", () => {
    const compact = (text: string): string => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
    fc.assert(
      fc.property(document, (text) => {
        const read = parse(text);
        expect(read).toMatchObject({ isComplete: true, isStrict: true, end: text.length });
        expect(runAtOnce(writeJsonText(read?.value))).toBe(compact(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads a large text as the native parser does", () => {
    const row = (n: number) => ({ id: n, __proto__x: 'a\n"b\\', text: "x".repeat(n % 700), list: [n, [n / 7], {}] });
    const value = { rows: Array.from({ length: 900 }, (_, n) => row(n)), long: '"\\\n'.repeat(90_000), end: null };
    const text = JSON.stringify(value, null, 1);
    expect(parse(text)?.value).toEqual(value);
    expect(parse(text.replace('"id": 3,', '"id": 3.0,'))?.value).toMatchObject({ end: null, long: value.long });
  });

  it.each(["[01]", "[1,]", "[,1]", "{a:1}", "[1 2]", '["\\x"]', "[1}", '{"a"}', "[+1]", "[.5]", "['a']", "[1.]"])(
    "does not read %s",
    (text) => {
      expect(parse(text.padEnd(20, " "))).toBeUndefined();
    },
  );

  it("marks what JSON does not permit", () => {
    expect(parse("[NaN]")).toMatchObject({ isStrict: false, value: [new ExactNumber("NaN")] });
    expect(parse('["a\tb"]')).toMatchObject({ isStrict: false, value: ["a\tb"] });
    expect(() => select('{"a": NaN}', "a")).toThrow("text, not JSON");
  });

  it.each(['{"a":[1,2,{"b":"xy', '{"a":[1,2,', '{"a":[1,2,{"b":"x\\u00', '{"a":[1,2,{"b":', '{"a":[1,2,{"b'])(
    "reads what is there of %s",
    (text) => {
      expect(parse(text)).toMatchObject({ isComplete: false, value: { a: expect.arrayContaining([1, 2]) as unknown } });
    },
  );
});
