import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../../test/support/cost.js";
import { parseStrictJson } from "./parse-strict.js";
import { isMalformed, JSON_LIMITS } from "./violation.js";

/** Every violation as `path kind`, or the value. */
function outcome(given: string | Uint8Array): unknown {
  const result = parseStrictJson(given);
  return result.kind === "value" ? result.value : result.violations.map(({ path, kind }) => `${path} ${kind}`.trim());
}

/** The result of JSON.parse, or undefined. */
function parsed(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const manyKeys = `{${Array.from({ length: 30 }, (_, index) => `"k${index}":0`).join()}}`;

describe("parseStrictJson", () => {
  it.each<[string, string, unknown]>([
    [
      "an object",
      ' {"a" : [1, -2.5e3, "x", true, false, null, {}, []]}\n',
      { a: [1, -2500, "x", true, false, null, {}, []] },
    ],
    ["a scalar", "12", 12],
    [
      "brackets and quotes inside strings",
      String.raw`{"a{[,:":"]}\"\\","b":"\"a\":1"}`,
      { "a{[,:": ']}"\\', b: '"a":1' },
    ],
    ["a surrogate pair, raw and escaped", String.raw`["😀","\ud83d\ude00"]`, ["😀", "😀"]],
    ["the same key in different objects", '[{"a":1},{"a":{"a":2}},{"a":3}]', [{ a: 1 }, { a: { a: 2 } }, { a: 3 }]],
    ["a key that an outer object has too", '{"a":{"b":1},"b":{"a":1}}', { a: { b: 1 }, b: { a: 1 } }],
    [
      "quotes and escapes deep inside a string",
      `["${"x".repeat(40)}\\",-0,\\"","${"x".repeat(40)}\\\\",1]`,
      [`${"x".repeat(40)}",-0,"`, `${"x".repeat(40)}\\`, 1],
    ],
    [
      "many keys in one object and the same keys in the next",
      `[${manyKeys},${manyKeys}]`,
      [JSON.parse(manyKeys), JSON.parse(manyKeys)],
    ],
    ["the largest safe integers", "[9007199254740991,-9007199254740991]", [9007199254740991, -9007199254740991]],
    [
      "numbers in any notation",
      "[0,0.0,0e9,1.50,15e-1,100e-2,1E2,0.1,3.141592653589793,6.022e23,5e-324]",
      [0, 0, 0, 1.5, 1.5, 1, 100, 0.1, Math.PI, 6.022e23, 5e-324],
    ],
  ])("accepts %s", (_, text, value) => {
    expect(outcome(text)).toEqual(value);
    expect(outcome(Buffer.from(text))).toEqual(value);
  });

  it.each<[string, string, string[]]>([
    ["a duplicate key", '{"a":1,"b":{"c":1,"c":1},"a":2}', ["/b/c duplicate-key", "/a duplicate-key"]],
    ["a duplicate key, once escaped", String.raw`{"ab":1,"\u0061b":2}`, ["/ab duplicate-key"]],
    [
      "a duplicate key among many",
      `{${Array.from({ length: 30 }, (_, i) => `"k${i}":0`).join()},"k3":0}`,
      ["/k3 duplicate-key"],
    ],
    ["an integer beyond the safe range", '{"n":[1,9007199254740993]}', ["/n/1 unsafe-integer"]],
    ["the first integer beyond it", "[9007199254740992,-9007199254740992]", ["/0 unsafe-integer", "/1 unsafe-integer"]],
    ["such an integer in another notation", "[1e18,9007199254740992.0]", ["/0 unsafe-integer", "/1 unsafe-integer"]],
    ["an integer too long for any double", "[1000000000000000000000]", ["/0 unsafe-integer"]],
    ["a number beyond the range of a double", "[1e400,-1e400]", ["/0 lossy-number", "/1 lossy-number"]],
    [
      "a number that underflows to zero",
      "[1e-400,-1e-400,0.1e-330]",
      ["/0 lossy-number", "/1 lossy-number", "/2 lossy-number"],
    ],
    [
      "digits that a double loses",
      "[0.10000000000000001,1.2345678901234567890,123456789.123456789123]",
      ["/0 lossy-number", "/1 lossy-number", "/2 lossy-number"],
    ],
    [
      "negative zero in any notation",
      "[-0,-0.0,-0e1,-0.000E+9]",
      ["/0 negative-zero", "/1 negative-zero", "/2 negative-zero", "/3 negative-zero"],
    ],
    [
      "lone surrogates",
      String.raw`["\ud800","x\udc00","\ud800\ud800\udc00","\udc00\ud800"]`,
      ["/0 lone-surrogate", "/1 lone-surrogate", "/2 lone-surrogate", "/3 lone-surrogate"],
    ],
    [
      "surrogates that are not adjacent",
      String.raw`["\ud800x\udc00","\ud800\n\udc00"]`,
      ["/0 lone-surrogate", "/1 lone-surrogate"],
    ],
    ["a lone surrogate far into a string", `["${"x".repeat(40)}\\ud800"]`, ["/0 lone-surrogate"]],
    ["the first of many keys again", `${manyKeys.slice(0, -1)},"k0":0}`, ["/k0 duplicate-key"]],
    ["lone surrogates as they are", '["\ud800","x\udc00y"]', ["/0 lone-surrogate", "/1 lone-surrogate"]],
    ["U+0000", String.raw`{"a":"x\u0000"}`, ["/a null-character"]],
    [
      "forbidden keys",
      '{"__proto__":{"x":1},"a":{"constructor":1},"prototype":1}',
      ["/__proto__ forbidden-key", "/a/constructor forbidden-key", "/prototype forbidden-key"],
    ],
    ["forbidden keys that are escaped", String.raw`{"\u005f_proto__":1}`, ["/__proto__ forbidden-key"]],
    ["faults in keys", String.raw`{"\ud800":1,"a\u0000":2}`, ["/\ufffd lone-surrogate", "/a\0 null-character"]],
    ["a pointer's own characters", '{"a/b~":{"x":-0}}', ["/a~1b~0/x negative-zero"]],
  ])("rejects %s", (_, text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  it.each<[string, string | Uint8Array, string]>([
    ["no text", "", "not-json"],
    ["two values", "1 2", "not-json"],
    ["a trailing comma", "[1,]", "not-json"],
    ["an open string", '{"a":"', "not-json"],
    ["a string that ends in an escape", '"\\', "not-json"],
    ["a bad escape in a key", String.raw`{"\x":1}`, "not-json"],
    ["brackets that do not match", "]}]}[{", "not-json"],
    ["a raw control character", '"\n"', "not-json"],
    ["a raw U+0000", '"\0"', "not-json"],
    ["a byte order mark", "\ufeff{}", "not-json"],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "not-utf8"],
    ["an encoded surrogate", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), "not-utf8"],
    ["65 levels", `${"[".repeat(65)}${"]".repeat(65)}`, "too-deep"],
    ["500,000 levels", "[".repeat(500_000), "too-deep"],
    ["500,000 levels of objects", '{"a":'.repeat(200_000), "too-deep"],
    ["100,001 values", `[${"0,".repeat(100_000)}0]`, "too-many-values"],
    ["25,001 members", `{${Array.from({ length: 25_001 }, (_, i) => `"${i}":0`).join()}}`, "too-many-keys"],
    ["25,001 objects with one member", `[${'{"a":0},'.repeat(25_001)}0]`, "too-many-keys"],
    ["more than a mebibyte", `"${"x".repeat(1024 * 1024)}"`, "too-large"],
    ["more than a mebibyte in fewer characters", `"${"é".repeat(600_000)}"`, "too-large"],
  ])("finds %s malformed", (_, text, kind) => {
    const result = parseStrictJson(text);
    if (result.kind === "value") throw new Error("The text was accepted.");
    expect(result.violations.map((violation) => violation.kind)).toEqual([kind]);
    expect(result.violations.every(isMalformed)).toBe(true);
  });

  it("accepts texts exactly at the limits", () => {
    expect(parseStrictJson(`${"[".repeat(64)}${"]".repeat(64)}`).kind).toBe("value");
    expect(parseStrictJson(`[${"0,".repeat(99_998)}0]`).kind).toBe("value");
    expect(parseStrictJson(`[${'{"a":0},'.repeat(25_000)}0]`).kind).toBe("value");
    expect(parseStrictJson(`"${"x".repeat(1024 * 1024 - 2)}"`).kind).toBe("value");
  });

  it("accepts a surrogate pair with one escaped half", () => {
    expect(outcome('["\\ud83d\ude00"]')).toEqual(["😀"]);
  });

  it("reads a view of a larger buffer", () => {
    expect(outcome(new Uint8Array(Buffer.from("xx[1]yy")).subarray(2, 5))).toEqual([1]);
  });

  it("quotes nothing of the text in the message of a syntax error", () => {
    const result = parseStrictJson('{"token":"s3cr3t" oops}');
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|oops|token"/);
    expect(JSON.stringify(result)).toContain("at character 19");
  });

  it("limits the size of its messages about a hostile text", () => {
    const key = "k".repeat(100_000);
    const result = parseStrictJson(`{"${key}":[${"-0,".repeat(50_000)}1]}`);
    expect(JSON.stringify(result).length).toBeLessThan(50_000);
    expect(result).toMatchObject({ kind: "refused" });
  });

  it("accepts a text only if JSON.parse does, and returns the same value", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\u",
      "00",
      "d8",
      "1",
      "-",
      ".",
      "e",
      "0",
      "a",
      "true",
      "null",
      " ",
      "\n",
      '"a":',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const result = parseStrictJson(text);
        const isJson = result.kind === "value" || result.violations.every((violation) => !isMalformed(violation));
        expect(isJson).toBe(parsed(text) !== undefined);
        const written = result.kind === "value" ? JSON.stringify(result.value) : parsed(text);
        expect(written).toBe(parsed(text));
      }),
      { numRuns: 5000 },
    );
  });

  it.each<[string, (n: number) => string]>([
    ["quotes", (n) => `"${'\\"'.repeat(n / 2)}"`],
    ["digits", (n) => `[${"9".repeat(n)}]`],
    ["zeros", (n) => `[0.${"0".repeat(n)}1]`],
    ["keys", (n) => `{${Array.from({ length: n / 12 }, (_, i) => `"k${i}":0`).join()}}`],
    ["a string without an end", (n) => `"${"a\\".repeat(n / 2)}`],
    ["strings", (n) => `[${'"x",'.repeat(n / 4)}0]`],
  ])("takes time in proportion to the length of a text of %s", async (_, shape) => {
    const limits = { ...JSON_LIMITS, maxBytes: 8 * 1024 * 1024, maxValues: 10_000_000, maxKeys: 10_000_000 };
    await expectLinear((size) => {
      const text = flat(shape(size));
      return () => parseStrictJson(text, limits);
    }, 128 * 1024);
  });
});

describe("compared with a model that knows what it wrote", () => {
  interface Written {
    readonly text: string;
    readonly faults: readonly string[];
  }
  const at = (step: string | number, { faults }: Written): string[] => faults.map((fault) => `/${step}${fault}`);
  const scalar: fc.Arbitrary<Written> = fc.constantFrom<Written>(
    { text: "1", faults: [] },
    { text: '"x"', faults: [] },
    { text: String.raw`"\n\u00e9\\"`, faults: [] },
    { text: "1.25e2", faults: [] },
    { text: "null", faults: [] },
    { text: "-0", faults: [" negative-zero"] },
    { text: "9007199254740993", faults: [" unsafe-integer"] },
    { text: "1e999", faults: [" lossy-number"] },
    { text: String.raw`"\udead"`, faults: [" lone-surrogate"] },
    { text: String.raw`"\u0000"`, faults: [" null-character"] },
  );
  const key = fc.constantFrom('"a"', '"b"', String.raw`"\u0061"`, '"__proto__"', '"c d"');
  const space = fc.constantFrom("", " ", "\n\t");
  const { node } = fc.letrec<{ node: Written; list: Written; object: Written }>((tie) => ({
    node: fc.oneof({ maxDepth: 5, withCrossShrink: true }, scalar, tie("list"), tie("object")),
    list: fc.tuple(fc.array(tie("node"), { maxLength: 4 }), space).map(([items, gap]) => ({
      text: `[${gap}${items.map(({ text }) => text).join(`${gap},`)}]`,
      faults: items.flatMap((item, index) => at(index, item)),
    })),
    object: fc.tuple(fc.array(fc.tuple(key, tie("node")), { maxLength: 4 }), space).map(([members, gap]) => {
      const seen = new Set<string>();
      return {
        text: `{${members.map(([name, { text }]) => `${gap}${name}${gap}:${text}`).join()}}`,
        faults: members.flatMap(([quoted, member]) => {
          const name = String(JSON.parse(quoted));
          const own = seen.has(name) ? [`/${name} duplicate-key`] : [];
          seen.add(name);
          return [...own, ...(name === "__proto__" ? [`/${name} forbidden-key`] : []), ...at(name, member)];
        }),
      };
    }),
  }));

  it("finds every fault at its path, in order, and nothing else", () => {
    fc.assert(
      fc.property(node, ({ text, faults }) => {
        const expected = faults.length === 0 ? JSON.parse(text) : faults.map((fault) => fault.trim());
        expect(outcome(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
