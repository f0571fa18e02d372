import { expect, it } from "vitest";
import { isWithinDepth } from "./depth.js";

const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));

it("measures depth without exhausting the stack", () => {
  expect(isWithinDepth(deep, 64)).toBe(false);
  expect(isWithinDepth({ a: [{ b: 1 }] }, 64)).toBe(true);
  expect(isWithinDepth([[]], 1)).toBe(false);
});
