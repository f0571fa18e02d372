import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import type { ReadRequest } from "./read-request.js";
import { readResult } from "./read-result.js";
import { runAtOnce } from "./slices.js";

const textResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });
const jsonResult = (value: unknown): CallResult => textResult(JSON.stringify(value));

function read(result: CallResult, request: ReadRequest, maxTokens = 300): string {
  const { content } = runAtOnce(readResult(result, request, { maxTokens }));
  const shown = content.map((item) => String(item["text"])).join("\n");
  expect(estimateTokens(shown)).toBeLessThanOrEqual(maxTokens);
  return shown;
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DiscoveryError) return error.message;
    throw error;
  }
  throw new Error("expected an error");
}

describe("select", () => {
  const odd = jsonResult({ none: null, list: [], text: "", object: {}, items: [null, [[]]], deep: { none: null } });

  it.each([
    ["none", "null"],
    ["deep.none", "null"],
    ["items[0]", "null"],
    ["list", "[]"],
    ["text", '""'],
    ["object", "{}"],
    ["items[1][0]", "[]"],
    ["keys(object)", "[]"],
  ])("returns the empty value that the result has at %s", (select, expected) => {
    expect(read(odd, { select })).toBe(expected);
  });

  it.each(["nothing", "deep.nothing", "items[2]", "list[0]", "none.a", "list[*].a", "items[?a]", "object.*"])(
    "says what is there instead of %s",
    (select) => {
      expect(read(odd, { select })).toContain("selects nothing. ");
    },
  );

  it("reads the JSON in a text, and of a text that the structured content repeats", () => {
    const items = Array.from({ length: 60 }, (_, id) => ({ id }));
    const fenced = textResult(
      `Found 60 items:\n\n\`\`\`json\n${JSON.stringify({ items }, null, 1)}\n\`\`\`\nThat is all.`,
    );
    expect(read(fenced, { select: "items[59].id" })).toBe("59");
    expect(read(fenced, { items: "58-" })).toContain('58: {"id":58}\n59: {"id":59}\n[items 58-59 of 60 in items');
    const wrapped = { ...textResult("one\ntwo"), structuredContent: { result: "one\ntwo" } };
    expect(read(wrapped, { select: "result" })).toBe("one\ntwo");
    expect(read(wrapped, { lines: "2" })).toBe("two\n[lines 2 of 2]");
  });

  it("does not read JSON that a text cuts off, because its last value is incomplete", () => {
    const items = Array.from({ length: 90 }, (_, id) => ({ id, name: "name" }));
    const cut = JSON.stringify({ items }).slice(0, 1500);
    expect(failure(() => read(textResult(cut), { select: "items[0]" }))).toContain("is text, not JSON");
    expect(read(textResult(cut), { grep: '"id":7\\b' })).toContain("1: ");
  });

  it("stays within the budget if the expression is very long", () => {
    const result = jsonResult({ items: Array.from({ length: 900 }, (_, id) => ({ id, name: `name ${id}` })) });
    const long = `items[?${Array.from({ length: 90 }, (_, n) => `id != \`${n * 7}\``).join(" && ")}]`;
    const shown = read(result, { select: long });
    expect(shown).toContain('Next: {"items":"0-49"} with the same expression as path]');
    expect(read(result, { items: "0-49", path: long })).toContain("with the same expression as path]");
    expect(read(result, { select: long.replace("items", "things") })).toContain(
      "The result: object with the key items",
    );
  });

  it.each([
    ["items[", "character 7"],
    ["a.b.", "character 5"],
    ["items[?a=1]", "character 9"],
    ["foo(@)", "character 1"],
    ["`{`", "character 1"],
    ["a b", "character 3"],
  ])("names the position of the mistake in %s", (select, position) => {
    expect(failure(() => read(odd, { select }))).toContain(position);
  });
});

describe("grep", () => {
  it("finds what is where a long line is divided", () => {
    const line = `${"y ".repeat(497)}NEEDLE IN THE HAY ${"z".repeat(500)}`;
    for (const grep of ["y NEEDLE", "NEEDLE IN THE HAY", "IN THE H", "HAY z"])
      expect(read(textResult(line), { grep }, 900)).toMatch(/^1 matching line in 2\n/);
  });

  it.each([
    ["ab(", 3],
    ["a)b", 2],
    ["x[a-", 2],
    ["(a(b)c", 1],
    ["[(]x(", 5],
    ["a\\", 2],
    ["x**", 2],
    ["a(?=b)", 2],
    ["(?P<n>a)\\1", 9],
  ])("names the position of the mistake in %s", (grep, position) => {
    expect(failure(() => read(textResult("x"), { grep }))).toContain(`character ${position}: `);
  });

  it("counts a million matching lines", () => {
    const shown = read(textResult("\n".repeat(1_000_000)), { grep: "^$", context: 20 });
    expect(shown).toMatch(/^1,000,000 matching lines in 1,000,000\n1: \n2: \n/);
    expect(shown).toMatch(/\[9\d\d,\d{3} more matching lines, the next is line \d+\. Next: \{"lines":"\d+-\d+"\}\]$/);
  });

  it("rejects a pattern that is too long", () => {
    const words = Array.from({ length: 100_000 }, (_, n) => `w${n}`).join("|");
    expect(failure(() => read(textResult("x"), { grep: words }))).toContain("longer than 1000 characters");
    expect(failure(() => read(textResult("x"), { grep: "((a{100}){100}){100}" }))).toContain("invalid repeat count");
  });
});

describe("lines, items and page", () => {
  it.each(["9".repeat(16), "1-9".repeat(9), "1.5", "1e3", "-", "--2", "2--1", "٣", "0x1"])(
    "reject the range %s",
    (range) => {
      expect(failure(() => read(textResult("a\nb\nc"), { lines: range }))).toMatch(/is not a range of lines/);
      expect(failure(() => read(jsonResult([1, 2]), { items: range }))).toMatch(/is not a range of items/);
    },
  );

  it.each([
    ["999999999999999", "do not exist. The result has the items 0-1."],
    ["1-0", "ends before it starts"],
    ["-0", "do not exist"],
  ])("name the items that exist instead of %s", (items, message) => {
    expect(failure(() => read(jsonResult([1, 2]), { items }))).toContain(message);
  });

  it("read to the end if the range ends later", () => {
    expect(read(jsonResult([1, 2]), { items: "1-999999999999999" })).toBe("1: 2\n[items 1 of 2, counted from 0]");
    expect(read(jsonResult([1, 2]), { items: "-999999999999999" })).toContain("0: 1\n1: 2\n[items 0-1 of 2");
  });

  it("keep lone carriage returns and leave out line breaks of Windows", () => {
    expect(read(textResult("a\r\nb\rc\r\n\r\nd"), { lines: "1-" })).toBe("a\nb\rc\n\nd\n[lines 1-4 of 4]");
  });

  it("read the JSON in a string of JSON", () => {
    const result = jsonResult({ body: JSON.stringify({ rows: Array.from({ length: 30 }, (_, n) => n) }) });
    expect(read(result, { items: "28-29", path: "body" })).toContain("28: 28\n29: 29\n[items 28-29 of 30 in rows");
    expect(read(result, { page: 1, path: "body" })).toMatch(/^\{"rows":\[0,1,/);
  });

  it("name a call that reads an item of a filtered array", () => {
    const items = Array.from({ length: 9 }, (_, id) => ({ id, kind: "tape", body: "word ".repeat(900) }));
    const shown = read(jsonResult({ items }), { items: "3", path: "items[?kind=='tape']" });
    const [, call = ""] = /all of it: (\{.*?\})[.\]]/.exec(shown) ?? [];
    expect(read(jsonResult({ items }), JSON.parse(call) as ReadRequest)).toContain("id: 3; kind: tape");
  });

  it("find the longest of very many arrays in little time", () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, { [`m${n}`]: { a: [n] } }]));
    expect(read(jsonResult({ wide, list: Array.from({ length: 50 }, (_, n) => n) }), { items: "49" })).toContain(
      "in list",
    );
  });
});
