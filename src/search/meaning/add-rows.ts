import { createMemory, openProgram, type ProgramMemory } from "./webassembly.js";

/** `add-rows.wat` compiled to WebAssembly (Base64): adds up embedding vectors, sixteen values at a time. */
const PROGRAM =
  "AGFzbQEAAAABGANgCH9/f39/f399AGACf38BfWADf39/AAITAQdnYXRld2F5Bm1lbW9yeQIAAQMEAwABAgcPAgNhZGQAAAVyb3VuZAACCpgFA8gCAg" +
  "R/A3sgBEEAIAVBAnT8CwACQANAIAFFDQEgACgCACEIIAMgCEECdGoqAgD9EyEMIAIgCCAFbGohCSAJIAVqIQsgBCEKA0AgCf0ABAAhDSAN/YcBIQ4g" +
  "CiAK/QAEACAMIA79pwH9+gH95gH95AH9CwQAIAogCv0ABBAgDCAO/agB/foB/eYB/eQB/QsEECAN/YgBIQ4gCiAK/QAEICAMIA79pwH9+gH95gH95A" +
  "H9CwQgIAogCv0ABDAgDCAO/agB/foB/eYB/eQB/QsEMCAJQRBqIQkgCkHAAGohCiAJIAtJDQALIABBBGohACABQQFrIQEMAAsLIAcgBCAFEAGV/RMh" +
  "DCAEIQkgBiEKIAQgBUECdGohCwNAIAogCv0ABAAgDCAJ/QAEAP3mAf3kAf0LBAAgCUEQaiEJIApBEGohCiAJIAtJDQALC2YDAX8CewF9IAAgAUECdG" +
  "ohAgNAIAD9AAQAIQMgBCADIAP95gH95AEhBCAAQRBqIQAgACACSQ0ACyAE/R8AIAT9HwGSIAT9HwIgBP0fA5KSIQUgBUMAAAAAWwR9QwAAgD8FIAWR" +
  "CwvkAQQCfwF7AX0BeyAAIAFBAnRqIQQgACEDA0AgBSAD/QAEAP3gAf3pASEFIANBEGohAyADIARJDQALIAX9HwAgBf0fAZcgBf0fAiAF/R8Dl5dDAA" +
  "D+QpUhBiACIAFqIAYgACABEAGVOAIAQwAAgD8gBiAGQwAAAABbG/0TIQcDQCACIAD9AAQAIAf95wH9av34ASAA/QAEECAH/ecB/Wr9+AH9hQEgAP0A" +
  "BCAgB/3nAf1q/fgBIAD9AAQwIAf95wH9av34Af2FAf1l/QsEACAAQcAAaiEAIAJBEGohAiAAIARJDQALCw==";
const NUMBER_BYTES = 4;
/** The size of the work area at the start of the memory. It has the input row numbers and the output vectors. */
const SCRATCH_BYTES = 65_536;
const SUM_AT = SCRATCH_BYTES / 2;
const MAX_VALUE = 127;

/**
 * An embedding table: one row of integers per token, and for each row the factor by which its integers are multiplied.
 */
export interface RowTable {
  /** The number of dimensions, at most 2,048. */
  readonly dims: number;
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
}

/**
 * Memory into which the model file is read. Its embedding table is used in place, because a copy would take eight
 * megabytes, most of the memory that search needs.
 */
export interface TableMemory {
  readonly memory: ProgramMemory;
  /** The part of the memory that the caller fills with the model file. */
  readonly file: Uint8Array;
}

export function createTableMemory(fileBytes: number): TableMemory {
  const memory = createMemory(SCRATCH_BYTES + fileBytes);
  return { memory, file: new Uint8Array(memory.buffer, SCRATCH_BYTES, fileBytes) };
}

/**
 * Adds up rows of an embedding table. The result is the same on every machine, because the order of additions is fixed.
 */
export interface RowAdder {
  /** The row numbers of a text, filled in by the caller; at most 8,192. */
  readonly rows: Int32Array;
  /** Sums the first `count` of `rows`, scales the sum to the Euclidean norm `weight`, and adds it to the total. */
  add(count: number, weight: number): void;
  /** Returns the total as integers and the factor that gives them the Euclidean norm 1. Then resets the total. */
  take(): { values: Int8Array; scale: number };
}

/** Creates a row adder. The embedding table must be in `memory`, and `dims` must be a multiple of sixteen. */
export function createRowAdder({ dims, vectors, scales }: RowTable, memory: ProgramMemory): RowAdder {
  const { buffer } = memory;
  const program = openProgram(
    { program: PROGRAM, plain: { add: addPlainly(buffer), round: roundPlainly(buffer) } },
    memory,
  );
  const wholeAt = SUM_AT + dims * NUMBER_BYTES;
  const valuesAt = wholeAt + dims * NUMBER_BYTES;
  const whole = new Float32Array(buffer, wholeAt, dims);
  const values = new Int8Array(buffer, valuesAt, dims);
  const scale = new Float32Array(buffer, valuesAt + dims, 1);
  return {
    rows: new Int32Array(buffer, 0, SUM_AT / NUMBER_BYTES),
    add(count, weight) {
      program.add(0, count, vectors.byteOffset, scales.byteOffset, SUM_AT, dims, wholeAt, weight);
    },
    take() {
      program.round(wholeAt, dims, valuesAt);
      whole.fill(0);
      return { values: values.slice(), scale: scale[0] ?? 0 };
    },
  };
}

/**
 * The fallback without WebAssembly. It adds in the same order and rounds in the same way as the WebAssembly program.
 */
function addPlainly(buffer: ArrayBuffer) {
  const bytes = new Int8Array(buffer);
  return (
    ...[rowsAt = 0, count = 0, vectorsAt = 0, scalesAt = 0, sumAt = 0, dims = 0, wholeAt = 0, weight = 0]: number[]
  ): void => {
    const rows = new Int32Array(buffer, rowsAt, count);
    const scales = new Float32Array(buffer, scalesAt);
    const sum = new Float32Array(buffer, sumAt, dims).fill(0);
    const whole = new Float32Array(buffer, wholeAt, dims);
    for (const row of rows) {
      const scale = scales[row] ?? 0;
      const start = vectorsAt + row * dims;
      for (let at = 0; at < dims; at += 1) {
        sum[at] = (sum[at] ?? 0) + Math.fround(scale * (bytes[start + at] ?? 0));
      }
    }
    const share = Math.fround(Math.fround(weight) / lengthOf(sum));
    for (let at = 0; at < dims; at += 1) whole[at] = (whole[at] ?? 0) + Math.fround(share * (sum[at] ?? 0));
  };
}

function roundPlainly(buffer: ArrayBuffer) {
  return (...[fromAt = 0, dims = 0, toAt = 0]: number[]): void => {
    const from = new Float32Array(buffer, fromAt, dims);
    const to = new Int8Array(buffer, toAt, dims);
    const largest = from.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const step = Math.fround(largest / MAX_VALUE);
    new Float32Array(buffer, toAt + dims, 1)[0] = step / lengthOf(from);
    for (let at = 0; at < dims; at += 1) to[at] = toNearest(Math.fround((from[at] ?? 0) / (step || 1)));
  };
}

/** The Euclidean norm of a vector; 1 for the zero vector. */
function lengthOf(vector: Float32Array): number {
  const sums = new Float32Array(4);
  for (const [at, value] of vector.entries()) sums[at % 4] = (sums[at % 4] ?? 0) + Math.fround(value * value);
  const [a = 0, b = 0, c = 0, d = 0] = sums;
  return Math.fround(Math.sqrt(Math.fround(Math.fround(a + b) + Math.fround(c + d)))) || 1;
}

/** Rounds to the nearest integer, halves to the even one. */
function toNearest(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}
