import { expect, it } from "vitest";
import { describeSpan } from "./time-words.js";

it.each([
  [-5, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [272_000, "4 min 32 s"],
  [300_000, "5 min"],
  [1_500_500, "25 min"],
  [3_600_000, "1 h"],
  [86_399_000, "24 h"],
  [259_000_000, "3 days"],
])("%i ms are %s", (ms, words) => {
  expect(describeSpan(ms)).toBe(words);
});
