import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.js";
import { MAX_TOKENS_PER_CHARACTER } from "./result-tokens.js";

describe("estimateTokens", () => {
  // The literal numbers are the counts of the tokenizer o200k_base.
  it.each([
    ["The quick brown fox jumps over the lazy dog.", 10],
    ['{"id":12345,"name":"Ada Lovelace","active":true}', 15],
    ["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 41],
    ["今天天气很好，我们去公园散步。", 12],
    ["Сегодня хорошая погода, и мы пошли гулять в парк с собакой и детьми.", 20],
    ["안녕하세요 세계 이것은 긴 한국어 텍스트입니다", 12],
    ["こんにちは世界、これは長い日本語のテキストです。", 14],
    ["🎉👍✅❌😀🚀💡🔥🎯📦", 16],
    ["get_user_account_details_from_repository", 6],
    ["deadbeef0123456789abcdef7c4a8d09ca3762af61e59520943dc26494f8941b", 31],
    ['\\n\\t\\"key\\": \\"value\\",'.repeat(10), 80],
  ])("is close to a real tokenizer for %s", (text, tokens) => {
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.8);
    expect(estimateTokens(text) / tokens).toBeLessThan(1.5);
  });

  it.each([
    ["spaces", " ".repeat(3000), 24],
    ["line breaks", "\n".repeat(3000), 188],
    ["tabs", "\t".repeat(3000), 188],
    ["NUL characters", "\0".repeat(3000), 1500],
    ["random letters", "xqzvkjwpfyhgbmtrnd".repeat(100), 1200],
  ])("does not take a long run of %s for one word", (_, text, tokens) => {
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.65);
  });

  it("estimates no tokens for an empty text, and few for a ruler", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("-".repeat(80))).toBeLessThan(6);
  });

  it("is never above the limit for a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.string(), (one, other) => {
        for (const text of [one, other, one + other, one.split("").join("1")])
          expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(text.length * MAX_TOKENS_PER_CHARACTER) + 1);
      }),
    );
  });

  it("extrapolates a long text from samples of all its parts", () => {
    const [half, other] = ["word ".repeat(100_000), "1234567890".repeat(50_000)];
    const exact = 100_000 + 500_000 / 3;
    expect(estimateTokens(half + other) / exact).toBeGreaterThan(0.9);
    expect(estimateTokens(half + other) / exact).toBeLessThan(1.15);
  });
});
