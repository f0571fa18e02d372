import { openProgram } from "./webassembly.js";

/** `add-rows.wat` in binary form: what reading a text comes down to, sixteen numbers at a time. */
const PROGRAM =
  "AGFzbQEAAAABCgFgBn9/f39/fwACEwEHZ2F0ZXdheQZtZW1vcnkCAAEDAgEABwcBA2FkZAAACu4BAesBAgR/A3sCQANAIAFFDQEgACgCACEGIA" +
  "MgBkECdGoqAgD9EyEKIAIgBiAFbGohByAHIAVqIQkgBCEIA0AgB/0ABAAhCyAL/YcBIQwgCCAI/QAEACAKIAz9pwH9+gH95gH95AH9CwQAIAgg" +
  "CP0ABBAgCiAM/agB/foB/eYB/eQB/QsEECAL/YgBIQwgCCAI/QAEICAKIAz9pwH9+gH95gH95AH9CwQgIAggCP0ABDAgCiAM/agB/foB/eYB/e" +
  "QB/QsEMCAHQRBqIQcgCEHAAGohCCAHIAlJDQALIABBBGohACABQQFrIQEMAAsLCw==";
const NUMBER_BYTES = 4;

/** Rows of whole numbers, each with what they are to be multiplied with. */
export interface Table {
  readonly dims: number;
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
}

/** The sum of the rows with these numbers. Valid until the next call; the same on every machine, because the order of additions is. */
export type AddRows = (rows: readonly number[]) => Float32Array;

/** `most` rows at once; `dims` is a multiple of sixteen. */
export function createRowAdder({ dims, vectors, scales }: Table, most: number): AddRows {
  const sumAt = most * NUMBER_BYTES;
  const scalesAt = sumAt + dims * NUMBER_BYTES;
  const vectorsAt = scalesAt + scales.length * NUMBER_BYTES;
  const { memory, run } = openProgram(PROGRAM, "add", vectorsAt + vectors.length);
  const numbers = new Int32Array(memory, 0, most);
  const sum = new Float32Array(memory, sumAt, dims);
  new Float32Array(memory, scalesAt, scales.length).set(scales);
  new Int8Array(memory, vectorsAt, vectors.length).set(vectors);
  return (rows) => {
    numbers.set(rows);
    sum.fill(0);
    run(0, rows.length, vectorsAt, scalesAt, sumAt, dims);
    return sum;
  };
}
