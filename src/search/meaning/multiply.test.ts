import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { createMatrix } from "./multiply.js";

it("multiplies every row with the vector exactly", () => {
  const byte = fc.integer({ min: -127, max: 127 });
  const row = fc.array(byte, { minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(row, fc.array(row, { maxLength: 40 }), (vector, rows) => {
      const matrix = createMatrix(rows.length, 32);
      matrix.rows.set(rows.flat());
      const expected = rows.map((numbers) => numbers.reduce((sum, number, at) => sum + number * (vector[at] ?? 0), 0));
      expect([...matrix.multiply(Int8Array.from(vector))]).toEqual(expected);
    }),
  );
});

it("multiplies only the first `maxRows` rows", () => {
  const matrix = createMatrix(3, 16);
  matrix.rows.fill(1);
  matrix.multiply(new Int8Array(16).fill(1));
  expect([...matrix.multiply(new Int8Array(16).fill(2), 2)]).toEqual([32, 32, 16]);
});

it("gives the same result without WebAssembly", () => {
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const matrix = createMatrix(2, 16);
    matrix.rows.set([...Array.from({ length: 16 }, (_, at) => at), ...Array.from({ length: 16 }, (_, at) => -at)]);
    expect([...matrix.multiply(new Int8Array(16).fill(3))]).toEqual([360, -360]);
  } finally {
    vi.unstubAllGlobals();
  }
});

it("does not overflow with the largest products", () => {
  const matrix = createMatrix(1, 256);
  matrix.rows.fill(-127);
  expect([...matrix.multiply(new Int8Array(256).fill(127))]).toEqual([-127 * 127 * 256]);
});
