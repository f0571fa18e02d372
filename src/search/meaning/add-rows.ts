import { createMemory, openProgram, type ProgramMemory } from "./webassembly.js";

/** `add-rows.wat` in binary form: what reading a text comes down to, sixteen numbers at a time. */
const PROGRAM =
  "AGFzbQEAAAABCgFgBn9/f39/fwACEwEHZ2F0ZXdheQZtZW1vcnkCAAEDAgEABwcBA2FkZAAACu4BAesBAgR/A3sCQANAIAFFDQEgACgCACEGIA" +
  "MgBkECdGoqAgD9EyEKIAIgBiAFbGohByAHIAVqIQkgBCEIA0AgB/0ABAAhCyAL/YcBIQwgCCAI/QAEACAKIAz9pwH9+gH95gH95AH9CwQAIAgg" +
  "CP0ABBAgCiAM/agB/foB/eYB/eQB/QsEECAL/YgBIQwgCCAI/QAEICAKIAz9pwH9+gH95gH95AH9CwQgIAggCP0ABDAgCiAM/agB/foB/eYB/e" +
  "QB/QsEMCAHQRBqIQcgCEHAAGohCCAHIAlJDQALIABBBGohACABQQFrIQEMAAsLCw==";
const NUMBER_BYTES = 4;
/** The beginning of the memory, where the numbers of the rows come in and their sum goes out. */
const DESK_BYTES = 65_536;
const SUM_AT = DESK_BYTES / 2;

/** Rows of whole numbers, each with what they are to be multiplied with. */
export interface Table {
  readonly dims: number;
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
}

/** Where a table is used in place: a copy of eight megabytes would be most of what search needs. */
export interface TableMemory {
  readonly memory: ProgramMemory;
  /** To be filled with the file that the table is in. */
  readonly file: Uint8Array;
}

export function createTableMemory(fileBytes: number): TableMemory {
  const memory = createMemory(DESK_BYTES + fileBytes);
  return { memory, file: new Uint8Array(memory.buffer, DESK_BYTES, fileBytes) };
}

/** The sum of the rows with these numbers. Valid until the next call; the same on every machine, because the order of additions is. */
export type AddRows = (rows: readonly number[]) => Float32Array;

/** The table lies in that memory; `dims` is a multiple of sixteen. */
export function createRowAdder({ dims, vectors, scales }: Table, memory: ProgramMemory): AddRows {
  const run = openProgram({ program: PROGRAM, name: "add", plain: addPlainly(memory.buffer) }, memory);
  const numbers = new Int32Array(memory.buffer, 0, SUM_AT / NUMBER_BYTES);
  const sum = new Float32Array(memory.buffer, SUM_AT, dims);
  return (rows) => {
    numbers.set(rows);
    sum.fill(0);
    run(0, rows.length, vectors.byteOffset, scales.byteOffset, SUM_AT, dims);
    return sum;
  };
}

/** In the same order and with the same rounding as the program. */
function addPlainly(buffer: ArrayBuffer) {
  const bytes = new Int8Array(buffer);
  return (...[rowsAt = 0, count = 0, vectorsAt = 0, scalesAt = 0, sumAt = 0, dims = 0]: number[]): void => {
    const rows = new Int32Array(buffer, rowsAt, count);
    const scales = new Float32Array(buffer, scalesAt);
    const sum = new Float32Array(buffer, sumAt, dims);
    for (const row of rows) {
      const scale = scales[row] ?? 0;
      const start = vectorsAt + row * dims;
      for (let at = 0; at < dims; at += 1) {
        sum[at] = (sum[at] ?? 0) + Math.fround(scale * (bytes[start + at] ?? 0));
      }
    }
  };
}
