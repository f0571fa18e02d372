import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import { indexLines } from "./line-index.js";
import { readResult } from "./read-result.js";
import { runAtOnce, type Slices } from "./slices.js";
import { viewResult } from "./view-result.js";

const describeNext = () => "[next]";
const textResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });
const base64 = (bytes: number): string =>
  Buffer.from(Array.from({ length: bytes }, (_, n) => (n * 7919) % 251)).toString("base64");

/** `size` is about the number of characters. */
const RESULTS: Readonly<Record<string, (size: number) => CallResult>> = {
  "one line of words": (size) => textResult("word, ".repeat(size / 6)),
  "one line without a space": (size) => textResult("x".repeat(size)),
  "one line of Chinese": (size) => textResult("今天天气很好".repeat(size / 6)),
  "short lines": (size) => textResult("a\n".repeat(size / 2)),
  "a log": (size) =>
    textResult(
      Array.from({ length: size / 50 }, (_, n) => `2024-01-01 INFO request ${n} handled in ${n % 97} ms`).join("\n"),
    ),
  "a table with commas": (size) =>
    textResult(
      `id,name,price\n${Array.from({ length: size / 20 }, (_, n) => `${n},thing ${n},${n % 100}`).join("\n")}`,
    ),
  "minified JSON": (size) =>
    textResult(
      JSON.stringify(Array.from({ length: size / 50 }, (_, id) => ({ id, name: `name ${id}`, tags: ["a", "b"] }))),
    ),
  "escaped JSON in a text": (size) =>
    textResult(
      `result='${JSON.stringify(
        JSON.stringify(
          Array.from({ length: size / 60 }, (_, id) => ({ id, name: `n\n${id}` })),
          null,
          1,
        ),
      ).slice(1, -1)}'`,
    ),
  "many tiny items": (size) => ({
    content: [],
    structuredContent: { items: Array.from({ length: size / 2 }, () => 1) },
  }),
  "many texts": (size) => ({ content: Array.from({ length: size / 50 }, (_, n) => ({ type: "text", text: `t${n}` })) }),
  "mixed items": (size) => ({
    content: [],
    structuredContent: { items: Array.from({ length: size / 4 }, (_, n) => [n, "a", { b: n }, [n]][n % 4]) },
  }),
  "base64 in JSON": (size) => ({ content: [], structuredContent: { name: "photo", data: base64(size * 0.75) } }),
  "an HTML page": (size) =>
    textResult(
      `<!doctype html><html><body>${"<div><p>Some text <a href='/x'>link</a></p></div>".repeat(size / 50)}</body></html>`,
    ),
  "unclosed tags": (size) => textResult(`<!doctype html>${'<a <b " <script'.repeat(size / 15)}`),
  "signs that start no tag": (size) => textResult(`<!doctype html>${"<".repeat(size)}`),
  "end tags in a script": (size) => textResult(`<!doctype html><script>${"</".repeat(size / 2)}`),
  "an object with many keys": (size) =>
    textResult(JSON.stringify(Object.fromEntries(Array.from({ length: size / 16 }, (_, n) => [`key${n}`, n])))),
  "numbers that JavaScript rounds": (size) =>
    textResult(`[${Array.from({ length: size / 40 }, (_, n) => `{"id":123456789012345${n},"v":0.10}`).join(",")}]`),
  "empty lines": (size) => textResult("\n".repeat(size)),
  "NUL characters": (size) => textResult("\0".repeat(size)),
  backslashes: (size) => textResult("\\".repeat(size)),
  "open brackets": (size) => textResult("[".repeat(size)),
};

interface Measured<T> {
  readonly result: T;
  readonly slices: number;
  readonly cpuMs: number;
}

function measure<T>(work: Slices<T>): Measured<T> {
  const start = process.cpuUsage();
  let slices = 0;
  for (;;) {
    const step = work.next();
    slices += 1;
    if (step.done !== true) continue;
    const { user, system } = process.cpuUsage(start);
    return { result: step.value, slices, cpuMs: (user + system) / 1000 };
  }
}

const shownText = ({ content }: CallResult): string =>
  content.flatMap((item) => (typeof item["text"] === "string" ? [item["text"]] : [])).join("\n");

describe("a large result of a hostile server", () => {
  it.each(Object.keys(RESULTS))("has a view within the budget, in linear time, with pauses: %s", (name) => {
    const create = RESULTS[name]!;
    const view = (size: number) => measure(viewResult(create(size), { maxTokens: 800, describeNext }));
    view(100_000);
    const [small, large] = [view(600_000), view(4_800_000)];
    expect(estimateTokens(shownText(large.result))).toBeLessThanOrEqual(800);
    expect(shownText(large.result).length).toBeGreaterThan(20);
    // Eight times the size; quadratic work would take 64 times as long.
    expect(large.cpuMs / Math.max(20, small.cpuMs)).toBeLessThan(24);
    expect(large.slices).toBeGreaterThan(5);
  });

  it.each(Object.keys(RESULTS))("is readable by lines, pattern and page: %s", (name) => {
    const result = RESULTS[name]!(300_000);
    for (const request of [{ lines: "1-40" }, { lines: "-3" }, { grep: "a.*[0-9]x?$" }, { page: 2 }]) {
      const shown = shownText(runAtOnce(readResult(result, request, { maxTokens: 900 })));
      expect(shown).not.toBe("");
      expect(estimateTokens(shown)).toBeLessThanOrEqual(900);
    }
  });

  it("is divided into lines in linear time if it is one line", () => {
    const index = (size: number) => measure(indexLines("x".repeat(size)));
    const [small, large] = [index(3_000_000), index(24_000_000)];
    expect(large.result.count).toBe(24_000);
    expect(large.cpuMs / Math.max(20, small.cpuMs)).toBeLessThan(24);
  });

  it("has a view if it has 1,000 and 100,000 levels of nesting", () => {
    for (const levels of [1000, 100_000]) {
      const text = `${'{"a":['.repeat(levels)}${"]}".repeat(levels)}`;
      const shown = shownText(runAtOnce(viewResult(textResult(text), { maxTokens: 300, describeNext })));
      expect(estimateTokens(shown)).toBeLessThanOrEqual(300);
      let value: unknown = "core";
      for (let level = 0; level < levels; level += 1) value = { a: [value] };
      const deep: CallResult = { content: [], structuredContent: value };
      expect(shownText(runAtOnce(viewResult(deep, { maxTokens: 300, describeNext })))).toContain("nested too deeply");
      expect(shownText(runAtOnce(readResult(deep, { page: 1 }, { maxTokens: 300 })))).toContain("page 1 of");
      expect(shownText(runAtOnce(readResult(deep, { grep: "core" }, { maxTokens: 300 })))).toMatch(/\d+: +"core"/);
    }
  });

  it("keeps lone surrogates and members named __proto__", () => {
    const words = "lorem ipsum dolor ".repeat(400);
    const text = `{"__proto__":{"admin":"yes"},"constructor":1,"odd":"\ud800 here","body":${JSON.stringify(words)}}`;
    const shown = shownText(runAtOnce(viewResult(textResult(text), { maxTokens: 300, describeNext })));
    expect(shown).toContain("admin: yes");
    expect(shown).toContain("\ud800 here");
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
    expect(shownText(runAtOnce(readResult(textResult(text), { select: '"__proto__".admin' }, { maxTokens: 99 })))).toBe(
      "yes",
    );
  });

  it("ignores content items of the wrong shape", () => {
    const odd = [null, 7, "text", [], { type: "text" }, { type: "text", text: 5 }, { resource: null }];
    const content = [...odd, { type: "text", text: "word ".repeat(3000) }] as unknown as CallResult["content"];
    const result = runAtOnce(viewResult({ content }, { maxTokens: 200, describeNext }));
    expect(result.content.slice(0, odd.length)).toEqual(odd);
    const shapeless = { content: "none" } as unknown as CallResult;
    expect(runAtOnce(viewResult(shapeless, { maxTokens: 200, describeNext }))).toBe(shapeless);
  });

  it.each([1, 5, 12, 20, 30, 45, 60, 80])("has a view with a budget of %i tokens", (maxTokens) => {
    const last = "[About 20,000 tokens. Read more with read_result abc]";
    const items = Array.from({ length: 500 }, (_, n) => ({ id: n, name: `name ${n}` }));
    for (const result of [textResult("some words here\n".repeat(900)), textResult(JSON.stringify({ items }))]) {
      const shown = shownText(runAtOnce(viewResult(result, { maxTokens, describeNext: () => last })));
      expect(shown.endsWith(last)).toBe(true);
      expect(estimateTokens(shown)).toBeLessThanOrEqual(Math.max(maxTokens, estimateTokens(last)));
      expect(maxTokens < 45 || shown.length > last.length + 10).toBe(true);
    }
  });
});

describe("the view of a table and of repeated lines", () => {
  const view = (text: string) => shownText(runAtOnce(viewResult(textResult(text), { maxTokens: 500, describeNext })));

  it("starts with the rows and columns of a CSV text", () => {
    const rows = Array.from({ length: 29_999 }, (_, n) => `${n},"Doe, ${n}",${n * 3}`);
    const shown = view(`id,full name,amount\n${rows.join("\n")}`);
    expect(shown).toContain("with 29,999 rows in the lines 2-30000 and 3 columns: id | full name | amount");
    expect(view("Some prose, with commas, here.\nAnd more.\n".repeat(2000))).not.toContain("columns");
  });

  it("says how many omitted lines differ only in their numbers", () => {
    const lines = Array.from({ length: 4000 }, (_, n) => `worker ${n} is ready`);
    lines[2000] = "Something entirely different happened unexpectedly";
    const shown = view(lines.join("\n"));
    const found = [.../… (\d+) similar lines (\d+)-(\d+)/g[Symbol.matchAll](shown)];
    expect(found.length).toBeGreaterThan(0);
    for (const [, count, from, to] of found) {
      expect(Number(count)).toBe(Number(to) - Number(from) + 1);
      expect(Number(from) <= 2001 && Number(to) >= 2001).toBe(false);
    }
  });
});
