// Pieces of a query and pieces of a tool come in, how well they answer each other one by one goes out; sums of them are compared elsewhere.
import type { Table } from "./add-rows.js";
import { createMatrix } from "./multiply.js";
import { type Part, PARTS } from "./texts.js";

/** How well the pieces of a query and of a tool answer each other, all from 0 to 1. */
export interface Closeness {
  /** How near the nearest piece of the tool is to each piece of the query, on the average by weight. */
  readonly answered: number;
  /** How near the query comes to what the tool's name says. */
  readonly name: number;
  /** The same for its server's name. */
  readonly server: number;
}

/** By part: how many of a tool's pieces are kept, and what one of them counts for. What is said first says most. */
const KEPT: Readonly<Record<Part, { readonly pieces: number; readonly share: number }>> = {
  name: { pieces: 12, share: 1 },
  server: { pieces: 6, share: 0.8 },
  first: { pieces: 32, share: 1 },
  rest: { pieces: 24, share: 0.7 },
  parameterNames: { pieces: 16, share: 0.7 },
  parameterTexts: { pieces: 24, share: 0.5 },
};

/** Each part has its own places in the list of a tool's pieces, filled from the front. */
const SHARES = PARTS.flatMap((part) => Array.from({ length: KEPT[part].pieces }, () => KEPT[part].share));
const NAME_END = KEPT.name.pieces;
const SERVER_END = NAME_END + KEPT.server.pieces;

/** So many pieces of every tool are kept. */
export const TOOL_PIECES = SHARES.length;
/** Where a tool has fewer. No table has as many pieces. */
export const NO_PIECE = 0xffff;

/** What comes later in a query hardly changes what is asked for. */
const MOST_ASKED = 40;
/** Tools that are compared with one query, at most. */
export const LOOKED_AT = 20;
const MOST_COMPARED = LOOKED_AT * TOOL_PIECES;

/** To be filled part by part, in the order of `PARTS`, with the first pieces of each. */
export interface PieceKeeper {
  /** The first `count` of these pieces belong to the next part. */
  keep(pieces: Int32Array, count: number): void;
  /** All places, and begins anew. */
  take(): Uint16Array;
}

export function createPieceKeeper(): PieceKeeper {
  let kept = new Uint16Array(TOOL_PIECES).fill(NO_PIECE);
  let part = 0;
  let start = 0;
  return {
    keep(pieces, count) {
      const room = KEPT[PARTS[part] ?? "name"].pieces;
      const most = Math.min(count, room);
      for (let at = 0; at < most; at += 1) kept[start + at] = pieces[at] ?? NO_PIECE;
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

/** Given the pieces of a query, tells of a tool's how close they are; of `LOOKED_AT` tools at most, and until the next query. */
export type CompareClosely = (asked: Int32Array) => (tool: Uint16Array) => Closeness;

/** Products of whole numbers, and all else in one order: the same on every machine. */
export function createCloseLook({ dims, vectors, scales }: Table): CompareClosely {
  const lengths = new Float64Array(scales.length);
  const asking = createMatrix(MOST_ASKED, dims);
  // Written over from query to query.
  const cosines = new Float64Array(MOST_COMPARED * MOST_ASKED);
  const highest = new Float64Array(MOST_COMPARED);
  const answers = new Float64Array(MOST_ASKED);
  const rowOf = (piece: number): Int8Array => vectors.subarray(piece * dims, (piece + 1) * dims);
  const lengthOf = (piece: number): number => (lengths[piece] ||= measure(rowOf(piece)));
  const weightOf = (piece: number): number => lengthOf(piece) * (scales[piece] ?? 0);

  return (given) => {
    const asked = given.subarray(0, MOST_ASKED);
    const weights = Array.from(asked, weightOf);
    const allAsked = weights.reduce((sum, weight) => sum + weight, 0) || 1;
    for (const [at, piece] of asked.entries()) asking.rows.set(rowOf(piece), at * dims);
    const known = new Map<number, number>();

    /** Where the piece stands among those that were compared with all that is asked. */
    const compare = (piece: number): number => {
      const before = known.get(piece);
      if (before !== undefined) return before;
      const place = known.size;
      known.set(piece, place);
      const products = asking.multiply(rowOf(piece), asked.length);
      let most = 0;
      for (let at = 0; at < asked.length; at += 1) {
        const cosine = (products[at] ?? 0) / (lengthOf(piece) * lengthOf(asked[at] ?? 0));
        cosines[place * MOST_ASKED + at] = cosine;
        if (cosine > most) most = cosine;
      }
      highest[place] = most;
      return place;
    };

    const answer = (tool: Uint16Array): number => {
      answers.fill(0);
      for (let slot = 0; slot < tool.length; slot += 1) {
        const piece = tool[slot] ?? NO_PIECE;
        if (piece === NO_PIECE) continue;
        const start = compare(piece) * MOST_ASKED;
        const share = SHARES[slot] ?? 0;
        for (let at = 0; at < asked.length; at += 1) {
          const near = (cosines[start + at] ?? 0) * share;
          if (near > (answers[at] ?? 0)) answers[at] = near;
        }
      }
      return weights.reduce((sum, weight, at) => sum + weight * (answers[at] ?? 0), 0) / allAsked;
    };

    /** How much of what these pieces say is asked for, by weight. */
    const sayAgain = (pieces: Uint16Array): number => {
      let said = 0;
      let all = 0;
      for (const piece of pieces) {
        if (piece === NO_PIECE) continue;
        said += weightOf(piece) * (highest[compare(piece)] ?? 0);
        all += weightOf(piece);
      }
      return said / (all || 1);
    };

    return (tool) => ({
      answered: answer(tool),
      name: sayAgain(tool.subarray(0, NAME_END)),
      server: sayAgain(tool.subarray(NAME_END, SERVER_END)),
    });
  };
}

/** 1 for a row of nothing: its products are 0 anyway. */
function measure(row: Int8Array): number {
  let squares = 0;
  for (const value of row) squares += value * value;
  return Math.sqrt(squares) || 1;
}
