import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.js";

describe("estimateTokens", () => {
  // The literal numbers are the counts of the tokenizer o200k_base.
  it.each([
    ["The quick brown fox jumps over the lazy dog.", 10],
    ['{"id":12345,"name":"Ada Lovelace","active":true}', 15],
    ["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 41],
    ["今天天气很好，我们去公园散步。", 12],
  ])("is close to a real tokenizer for %s", (text, tokens) => {
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.7);
    expect(estimateTokens(text) / tokens).toBeLessThan(1.4);
  });

  it("estimates no tokens for an empty text", () => {
    expect(estimateTokens("")).toBe(0);
  });

  it("extrapolates a long text from samples of all its parts", () => {
    const [half, other] = ["word ".repeat(100_000), "1234567890".repeat(50_000)];
    const exact = 100_000 + 500_000 / 3;
    expect(estimateTokens(half + other) / exact).toBeGreaterThan(0.9);
    expect(estimateTokens(half + other) / exact).toBeLessThan(1.1);
  });
});
