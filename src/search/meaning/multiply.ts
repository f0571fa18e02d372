import { createMemory, openProgram } from "./webassembly.js";

/**
 * `multiply.wat` compiled to WebAssembly (Base64): multiplies a query with the vectors of all tools, sixteen values at
 * a time.
 */
const PROGRAM =
  "AGFzbQEAAAABCQFgBX9/f39/AAITAQdnYXRld2F5Bm1lbW9yeQIAAQMCAQAHDAEIbXVsdGlwbHkAAAqnAQGkAQICfwN7AkADQCADRQ0BIAAhBS" +
  "AAIAFqIQb9DAAAAAAAAAAAAAAAAAAAAAAhCQNAIAX9AAQAIQcgAv0ABAAhCCAJIAcgCP2cAf1+/a4BIQkgCSAHIAj9nQH9fv2uASEJIAVBEGoh" +
  "BSACQRBqIQIgBSAGSQ0ACyAEIAn9GwAgCf0bAWogCf0bAiAJ/RsDamo2AgAgBEEEaiEEIANBAWshAwwACwsL";
const RESULT_BYTES = 4;

/**
 * A matrix of integers from -127 to 127 that is multiplied with a vector. Integers give the same product on every
 * machine.
 */
export interface Matrix {
  /** The values of all rows, one row after the other. The caller fills them in. */
  readonly rows: Int8Array;
  /**
   * Returns the products of the vector with all rows, or with the first `maxRows` rows. The array is reused by the next
   * call.
   */
  multiply(vector: Int8Array, maxRows?: number): Int32Array;
}

/** Creates a matrix with `count` rows of `dims` values. `dims` must be a multiple of sixteen. */
export function createMatrix(count: number, dims: number): Matrix {
  const resultsAt = dims + count * dims;
  const memory = createMemory(resultsAt + count * RESULT_BYTES);
  const program = openProgram({ program: PROGRAM, plain: { multiply: multiplyPlainly(memory.buffer) } }, memory);
  const vector = new Int8Array(memory.buffer, 0, dims);
  const results = new Int32Array(memory.buffer, resultsAt, count);
  return {
    rows: new Int8Array(memory.buffer, dims, count * dims),
    multiply(other, maxRows = count) {
      vector.set(other);
      program.multiply(0, dims, dims, maxRows, resultsAt);
      return results;
    },
  };
}

function multiplyPlainly(buffer: ArrayBuffer) {
  const bytes = new Int8Array(buffer);
  return (vectorAt: number, dims: number, rowsAt: number, count: number, resultsAt: number): void => {
    const results = new Int32Array(buffer, resultsAt, count);
    for (let row = 0; row < count; row += 1) {
      let product = 0;
      const start = rowsAt + row * dims;
      for (let at = 0; at < dims; at += 1) product += (bytes[vectorAt + at] ?? 0) * (bytes[start + at] ?? 0);
      results[row] = product;
    }
  };
}
