// Compares the subword tokens (pieces) of a query and a tool one by one, for the second pass of the ranking.
// `likeness.ts` compares whole vectors.
import type { RowTable } from "./add-rows.js";
import { createMatrix } from "./multiply.js";
import { type TextPart, PARTS } from "./texts.js";

/** How well the tokens of a query and of a tool match. All values are from 0 to 1. */
export interface Closeness {
  /**
   * For each token of the query, the similarity to the nearest token of the tool is computed. This is the weighted
   * average of these similarities.
   */
  readonly answered: number;
  /** The share of the tool's name that the query contains. */
  readonly name: number;
  /** The share of the server's name that the query contains. */
  readonly server: number;
}

/** For each part of a tool: how many of its first tokens are stored, and the weight of each of them. */
const STORED: Readonly<Record<TextPart, { readonly pieces: number; readonly share: number }>> = {
  name: { pieces: 12, share: 1 },
  server: { pieces: 6, share: 0.8 },
  first: { pieces: 32, share: 1 },
  rest: { pieces: 24, share: 0.7 },
  parameterNames: { pieces: 16, share: 0.7 },
  parameterTexts: { pieces: 24, share: 0.5 },
};

/**
 * The weight of each position in a tool's token list. Each part has a fixed range of positions, filled from the start.
 */
const SHARES = PARTS.flatMap((part) => Array.from({ length: STORED[part].pieces }, () => STORED[part].share));
const NAME_END = STORED.name.pieces;
const SERVER_END = NAME_END + STORED.server.pieces;

/** The number of token positions stored for every tool. */
export const TOOL_PIECES = SHARES.length;
/** Marks an unused position. It is not a valid token number, because no model has this many tokens. */
export const NO_PIECE = 0xffff;

/** How many tokens of a query are compared. Later tokens hardly change what the query asks for. */
const MAX_QUERY_PIECES = 40;
/** The maximum number of tools that the second pass compares with one query. */
export const SECOND_PASS_SIZE = 20;
const MAX_COMPARED = SECOND_PASS_SIZE * TOOL_PIECES;

/** Collects the first tokens of each part of a tool, in the order of `PARTS`. */
export interface PieceKeeper {
  /** Stores the tokens of the next part: the first `count` of `pieces`. */
  keep(pieces: Int32Array, count: number): void;
  /** Returns the tokens of all parts, and resets the keeper for the next tool. */
  take(): Uint16Array;
}

export function createPieceKeeper(): PieceKeeper {
  let kept = new Uint16Array(TOOL_PIECES).fill(NO_PIECE);
  let part = 0;
  let start = 0;
  return {
    keep(pieces, count) {
      const room = STORED[PARTS[part] ?? "name"].pieces;
      const length = Math.min(count, room);
      for (let at = 0; at < length; at += 1) kept[start + at] = pieces[at] ?? NO_PIECE;
      start += room;
      part += 1;
    },
    take() {
      const all = kept;
      kept = new Uint16Array(TOOL_PIECES).fill(NO_PIECE);
      part = 0;
      start = 0;
      return all;
    },
  };
}

/**
 * Takes the tokens of a query and returns a function that compares them with the tokens of a tool. That function can be
 * used for at most `SECOND_PASS_SIZE` tools, and only until the next query.
 */
export type ComparePieces = (query: Int32Array) => (tool: Uint16Array) => Closeness;

/** Creates the comparison. It multiplies integers in a fixed order, so that the result is the same on every machine. */
export function createPieceComparer({ dims, vectors, scales }: RowTable): ComparePieces {
  const lengths = new Float64Array(scales.length);
  const matrix = createMatrix(MAX_QUERY_PIECES, dims);
  // Reused for every query, to avoid allocations.
  const cosines = new Float64Array(MAX_COMPARED * MAX_QUERY_PIECES);
  const highest = new Float64Array(MAX_COMPARED);
  const answers = new Float64Array(MAX_QUERY_PIECES);
  // For each token, its row in `cosines` plus one; 0 if it was not compared with this query.
  const rows = new Uint16Array(scales.length);
  let compared: number[] = [];
  const rowOf = (piece: number): Int8Array => vectors.subarray(piece * dims, (piece + 1) * dims);
  const lengthOf = (piece: number): number => (lengths[piece] ||= measure(rowOf(piece)));
  const weightOf = (piece: number): number => lengthOf(piece) * (scales[piece] ?? 0);

  return (allPieces) => {
    const query = allPieces.subarray(0, MAX_QUERY_PIECES);
    const weights = Array.from(query, weightOf);
    const totalWeight = weights.reduce((sum, weight) => sum + weight, 0) || 1;
    for (const [at, piece] of query.entries()) matrix.rows.set(rowOf(piece), at * dims);
    for (const piece of compared) rows[piece] = 0;
    compared = [];

    /** Returns the row of this token in `cosines`; computes the row on first use. */
    const compare = (piece: number): number => {
      const before = rows[piece] ?? 0;
      if (before > 0) return before - 1;
      const row = compared.push(piece) - 1;
      rows[piece] = row + 1;
      const products = matrix.multiply(rowOf(piece), query.length);
      let nearest = 0;
      for (let at = 0; at < query.length; at += 1) {
        const cosine = (products[at] ?? 0) / (lengthOf(piece) * lengthOf(query[at] ?? 0));
        cosines[row * MAX_QUERY_PIECES + at] = cosine;
        if (cosine > nearest) nearest = cosine;
      }
      highest[row] = nearest;
      return row;
    };

    const answer = (tool: Uint16Array): number => {
      answers.fill(0);
      for (let slot = 0; slot < tool.length; slot += 1) {
        const piece = tool[slot] ?? NO_PIECE;
        if (piece === NO_PIECE) continue;
        const start = compare(piece) * MAX_QUERY_PIECES;
        const share = SHARES[slot] ?? 0;
        for (let at = 0; at < query.length; at += 1) {
          const near = (cosines[start + at] ?? 0) * share;
          if (near > (answers[at] ?? 0)) answers[at] = near;
        }
      }
      return weights.reduce((sum, weight, at) => sum + weight * (answers[at] ?? 0), 0) / totalWeight;
    };

    /** The weighted share of these tokens that the query contains. */
    const containedIn = (pieces: Uint16Array): number => {
      let contained = 0;
      let all = 0;
      for (const piece of pieces) {
        if (piece === NO_PIECE) continue;
        contained += weightOf(piece) * (highest[compare(piece)] ?? 0);
        all += weightOf(piece);
      }
      return contained / (all || 1);
    };

    return (tool) => ({
      answered: answer(tool),
      name: containedIn(tool.subarray(0, NAME_END)),
      server: containedIn(tool.subarray(NAME_END, SERVER_END)),
    });
  };
}

/** The Euclidean norm of a row; 1 for a zero row, whose products are 0 anyway. */
function measure(row: Int8Array): number {
  let squares = 0;
  for (const value of row) squares += value * value;
  return Math.sqrt(squares) || 1;
}
