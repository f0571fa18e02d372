import { expect, it } from "vitest";
import { createCoverage } from "./coverage.js";
import type { Term } from "./query.js";

const term = (weight: number, role: Term["role"]): Term => ({ word: "w", weight, role, clauses: 1, readings: [] });

it("weighs the answered share of the content words, and counts a word in full from half its weight on", () => {
  const cover = createCoverage({ terms: [term(3, "content"), term(1, "small"), term(1, "content")] });
  expect(cover([0, 1, 0])).toEqual({ covered: 0, answered: 0 });
  expect(cover([1.5, 0, 0])).toEqual({ covered: 0.75, answered: 1.5 });
  expect(cover([3, 1, 0.25])).toEqual({ covered: 0.875, answered: 3.25 });
});

it("covers nothing of a query without content words", () => {
  expect(createCoverage({ terms: [term(1, "small")] })([1])).toEqual({ covered: 0, answered: 0 });
});
