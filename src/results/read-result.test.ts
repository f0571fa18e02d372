import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import type { ReadRequest } from "./read-request.js";
import { checkSelection, readResult, selectResult } from "./read-result.js";
import { runAtOnce } from "./slices.js";

const textResult = (...texts: string[]): CallResult => ({ content: texts.map((text) => ({ type: "text", text })) });
const jsonResult = (value: object): CallResult => textResult(JSON.stringify(value));

function read(result: CallResult, request: ReadRequest, maxTokens = 500): string {
  const { content } = runAtOnce(readResult(result, request, { maxTokens }));
  expect(content.every(({ type }) => type === "text")).toBe(true);
  const shown = content.map((item) => String(item["text"])).join("\n");
  expect(estimateTokens(shown)).toBeLessThanOrEqual(maxTokens);
  return shown;
}

function failure(run: () => unknown): DiscoveryError {
  try {
    run();
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
    throw error;
  }
  throw new Error("expected an error");
}

const items = Array.from({ length: 4213 }, (_, n) => ({
  id: n,
  name: `item-${n}`,
  kind: n % 2 === 0 ? "disk" : "tape",
}));
const shop = jsonResult({ total: 4213, items, tags: ["a", "b"] });
const log = Array.from({ length: 30_000 }, (_, n) => `line ${n + 1}${(n + 1) % 1000 === 0 ? " ERROR disk" : ""}`);
const logResult = textResult(log.join("\n"));

describe("readResult with select", () => {
  it("returns the selected value as compact JSON, and a string as plain text", () => {
    expect(read(shop, { select: "items[1:3].{i: id, n: name}" })).toBe('[{"i":1,"n":"item-1"},{"i":2,"n":"item-2"}]');
    expect(read(shop, { select: "items[7].name" })).toBe("item-7");
    expect(read(shop, { select: "length(items)" })).toBe("4213");
  });

  it("reads structured content, several JSON texts, and JSON behind a text", () => {
    expect(read({ content: [], structuredContent: { a: [1, 2] } }, { select: "a[1]" })).toBe("2");
    expect(read(textResult('{"a":1}', '{"a":2}'), { select: "[*].a" })).toBe("[1,2]");
    expect(read(textResult("Found one:", '{"a":1}'), { select: "a" })).toBe("1");
  });

  it("shows a view of a large selection and the call that reads more", () => {
    const shown = read(shop, { select: "items[?kind=='tape']" });
    expect(shown).toContain("array of 2,106");
    expect(shown).toContain(`Next: {"items":"0-49","path":"items[?kind=='tape']"}]`);
    expect(read(shop, { items: "0-49", path: "items[?kind=='tape']" })).toContain('0: {"id":1,"name":"item-1"');
  });

  it.each([
    ["items[].nam", '"items[].nam" selects nothing. items: array of 4,213 objects with the keys id, name, kind'],
    ["itms", '"itms" selects nothing. The result: object with the keys total, items, tags'],
    ["items[0].name.first", 'selects nothing. items[0].name: string of 6 characters: "item-0"'],
    ["items[9999]", "selects nothing. items: array of 4,213 objects with the keys id, name, kind"],
    ["tags[?@ == 'c']", "selects nothing. tags: array of 2 strings"],
    ["total.x", "selects nothing. total: number 4213"],
    ["items[*].name[0] | [0]", "selects nothing. items[*].name: array of 4,213 strings"],
  ])("says what is there if %s selects nothing", (select, description) => {
    expect(read(shop, { select })).toContain(description);
  });

  it("describes an array that is really empty", () => {
    expect(read(jsonResult({ a: { items: [] } }), { select: "a.items[*].name" })).toContain("a.items: empty array");
  });

  it("names grep and lines if the result is text", () => {
    const error = failure(() => read(logResult, { select: "a" }));
    expect(error.message).toContain("The result is text, not JSON");
    expect(JSON.stringify(error.hint)).toMatch(/grep.*lines/);
  });

  it("rejects a selection that repeats the result many times", () => {
    const error = failure(() => read(shop, { select: `${"[@, @] | ".repeat(40)}@` }));
    expect(error.message).toContain("is larger than");
  });
});

describe("readResult with grep", () => {
  it("returns matching lines with their numbers and their context", () => {
    const shown = read(textResult("one\ntwo\nthree\nfour\nfive\nsix\nseven"), { grep: "^t|x$", context: 1 });
    expect(shown).toBe("3 matching lines in 7\n1- one\n2: two\n3: three\n4- four\n5- five\n6: six\n7- seven");
    const apart = read(textResult("a\nb\nc\nd\ne\nf\nX"), { grep: "a|X", context: 1 });
    expect(apart).toBe("2 matching lines in 7\n1: a\n2- b\n--\n6- f\n7: X");
  });

  it("ignores the case only if the request says so", () => {
    expect(read(textResult("Error\nok"), { grep: "error", context: 0 })).toContain("No line matches");
    expect(read(textResult("Error\nok"), { grep: "error", context: 0, ignore_case: true })).toContain("1: Error");
  });

  it("says how many matching lines are left and how to continue", () => {
    const shown = read(logResult, { grep: "line" }, 200);
    expect(shown).toContain("30,000 matching lines in 30,000");
    const [, left = "", next = ""] = /\[([\d,]+) more matching lines, the next is line (\d+)/.exec(shown) ?? [];
    expect(Number(left.replaceAll(",", "")) + Number(next) - 1).toBe(30_000);
    expect(shown).toContain(`Next: {"lines":"${Number(next) - 2}-${Number(next) + 50}"}]`);
  });

  it("counts the lines of JSON as lines does", () => {
    const shown = read(shop, { grep: '"name": "item-2000"', context: 0 });
    const [, number = ""] = /^(\d+): /m.exec(shown) ?? [];
    expect(read(shop, { lines: number })).toContain('"name": "item-2000"');
  });

  it("says that nothing matches, with the number of lines and a hint", () => {
    expect(read(logResult, { grep: "warning" })).toMatch(
      /^No line matches "warning" in 30,000 lines\. Try ignore_case/,
    );
  });

  it.each([
    ["a(?=b)", 'The pattern "a(?=b)" is not valid: character 2: invalid or unsupported Perl syntax'],
    ["(a)\\1", "character 4: invalid escape sequence"],
    ["ab(", "missing closing )"],
    ["x{5000}", "character 2: invalid repeat count"],
  ])("names the position and the reason for the pattern %s", (grep, message) => {
    expect(failure(() => read(logResult, { grep })).message).toContain(message);
  });

  it("shows the matching part of a text whose lines are longer than the budget", () => {
    const long = `${"filler ".repeat(50_000)}needle ${"filler ".repeat(50_000)}`;
    expect(read(textResult(long), { grep: "needle" }, 600)).toMatch(/\d+: .*needle/);
  });
});

describe("readResult with lines", () => {
  it.each([
    ["120-122", 'line 120\nline 121\nline 122\n[lines 120-122 of 30,000. Next: {"lines":"123-125"}]'],
    ["120", 'line 120\n[lines 120 of 30,000. Next: {"lines":"121"}]'],
    ["29999-", "line 29999\nline 30000 ERROR disk\n[lines 29999-30000 of 30,000]"],
    ["-2", "line 29999\nline 30000 ERROR disk\n[lines 29999-30000 of 30,000]"],
    ["29999-99999", "line 29999\nline 30000 ERROR disk\n[lines 29999-30000 of 30,000]"],
  ])("reads the range %s", (lines, expected) => {
    expect(read(logResult, { lines })).toBe(expected);
  });

  it("reads as much of a long range as fits, and continues to its end", () => {
    const shown = read(logResult, { lines: "1-30000" }, 100);
    const [, last = ""] = /\[lines 1-(\d+) of 30,000/.exec(shown) ?? [];
    expect(shown).toContain(`Next: {"lines":"${Number(last) + 1}-30000"}]`);
  });

  it.each([
    ["30001", "The lines 30001 do not exist. The result has the lines 1-30000."],
    ["0-5", "The lines 0-5 do not exist."],
    ["20-10", "The range 20-10 ends before it starts."],
    ["abc", '"abc" is not a range of lines.'],
    ["-0", "do not exist"],
  ])("rejects the range %s and names the existing lines", (lines, message) => {
    expect(failure(() => read(logResult, { lines })).message).toContain(message);
  });

  it("reads the lines of a string inside JSON", () => {
    const result = jsonResult({ files: [{ content: "alpha\nbeta\ngamma" }] });
    expect(read(result, { lines: "2", path: "files[0].content" })).toContain("beta\n[lines 2 of 3");
  });
});

describe("readResult with items", () => {
  it("counts from 0, as the view does", () => {
    const shown = read(shop, { items: "100-101" });
    expect(shown).toBe(
      '100: {"id":100,"name":"item-100","kind":"disk"}\n101: {"id":101,"name":"item-101","kind":"tape"}\n' +
        '[items 100-101 of 4,213 in items, counted from 0. Next: {"items":"102-103"}]',
    );
    const view = read(shop, {}, 400);
    const [, from = ""] = /… items (\d+)-\d+/.exec(view) ?? [];
    expect(view).not.toContain(`item-${from} `);
    expect(read(shop, { items: from })).toContain(`"item-${from}"`);
  });

  it("lists the arrays if it is not clear which one is meant", () => {
    const error = failure(() => read(jsonResult({ a: [1, 2, 3], b: { c: [4, 5] } }), { items: "0" }));
    expect(error.message).toContain("several arrays: a (3), b.c (2)");
    expect(JSON.stringify(error.hint)).toContain("a[0:20]");
  });

  it("shows a view of an item that is larger than the budget, and the call that reads it", () => {
    const big = jsonResult([{ text: "word ".repeat(5000) }, 2]);
    expect(read(big, { items: "0-1" }, 200)).toContain('{"select":"[0]"}');
  });

  it("rejects items that do not exist, and results without an array", () => {
    expect(failure(() => read(shop, { items: "5000" })).message).toContain("The result has the items 0-4212.");
    expect(failure(() => read(logResult, { items: "1" })).message).toContain("text, not JSON");
    expect(failure(() => read(jsonResult({ a: 1 }), { items: "1" })).message).toContain("no array");
  });
});

describe("readResult with page", () => {
  it("divides every text into pages that are together the whole text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 3000 }),
        fc.integer({ min: 60, max: 300 }),
        (text, maxTokens) => {
          const pages: string[] = [];
          for (let [page, count] = [1, 1]; page <= count; page += 1) {
            const shown = `\n${read(textResult(text), { page }, maxTokens)}`;
            const footer = shown.lastIndexOf("\n[page ");
            count = Number(/of (\d+)/.exec(shown.slice(footer))?.[1]);
            pages.push(shown.slice(1, Math.max(1, footer)));
          }
          expect(pages.join("")).toBe(text);
          expect(pages.every((page) => page.isWellFormed()) || !text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("rejects a page that does not exist", () => {
    expect(failure(() => read(textResult("short"), { page: 2 })).message).toContain("The text has 1 page.");
  });
});

describe("readResult", () => {
  it("shows the view if the request names nothing", () => {
    expect(read(shop, {}, 300)).toMatch(/items: array of 4,213[^]*\[Shortened: [\d,]+ characters/);
  });

  it.each<[ReadRequest, string]>([
    [{ grep: "a", lines: "1" }, "`grep` and `lines`"],
    [{ grep: "a", context: 21 }, "`context` is 21"],
    [{ page: 0 }, "`page` is 0"],
    [{ select: " " }, "`select` is"],
    [{ path: "a" }, "`path` is used without"],
    [{ lines: 5 as unknown as string }, "`lines` is 5"],
    [{ lines: "1", path: "nothing.here" }, "selects nothing"],
  ])("rejects the request %j", (request, message) => {
    expect(failure(() => read(shop, request)).message).toContain(message);
  });

  it("never throws anything but a DiscoveryError and stays within the budget", () => {
    const result = fc.oneof(
      fc.jsonValue().map((value) => ({ content: [], structuredContent: value })),
      fc.array(fc.string({ maxLength: 300 })).map((texts) => textResult(...texts)),
      fc.anything().map((content) => ({ content }) as unknown as CallResult),
    );
    const word = fc.oneof(fc.string(), fc.constantFrom("@", "*", "[*].a", "1-5", "-3", "0", "2-", ".", "\\w+", "a{3}"));
    const request = fc.oneof(
      word.map((select) => ({ select })),
      fc.record({ grep: word, context: fc.integer({ min: 0, max: 20 }) }),
      word.map((lines) => ({ lines })),
      word.map((items) => ({ items })),
      fc.record({ page: fc.integer({ min: 1, max: 3 }), path: word }),
      fc.constant({}),
    );
    fc.assert(
      fc.property(result, request, (given, asked) => {
        try {
          const { content } = runAtOnce(readResult(given, asked, { maxTokens: 250 }));
          const tokens = Object.keys(asked).length === 0 ? 0 : estimateTokens(String(content[0]?.["text"]));
          if (tokens > 250) throw new Error(`The answer has ${tokens} tokens.`);
        } catch (error) {
          if (!(error instanceof DiscoveryError)) throw error;
        }
      }),
      { numRuns: 1500 },
    );
  });
});

describe("selectResult", () => {
  const select = (result: CallResult, expression: string) =>
    runAtOnce(selectResult(result, expression, { maxTokens: 300 }));

  it("replaces the text with the selection and keeps the other members", () => {
    const result: CallResult = { ...shop, structuredContent: { x: 1 }, _meta: { a: 1 } };
    expect(select({ ...shop, _meta: { a: 1 } }, "total")).toEqual({
      content: [{ type: "text", text: "4213" }],
      _meta: { a: 1 },
    });
    expect(select(result, "[1].x").content[0]).toEqual({ type: "text", text: "1" });
  });

  it("shows the result of a failed call unchanged", () => {
    const failed: CallResult = { ...textResult("disk full"), isError: true };
    expect(select(failed, "total")).toBe(failed);
  });

  it("shows the view with the reason if the expression does not fit the result", () => {
    const { content } = select(logResult, "total");
    expect(content[0]?.["text"]).toMatch(/^\[select was not applied\. The result is text/);
    expect(content[1]?.["text"]).toContain("line 1000 ERROR disk");
  });

  it("checks the syntax of an expression before a call", () => {
    expect(() => checkSelection("a[*].b")).not.toThrow();
    expect(() => checkSelection("a[")).toThrow("character 3");
  });
});
