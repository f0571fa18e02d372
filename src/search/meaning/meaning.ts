// Texts come in, vectors of whole numbers go out whose products tell how near two texts are in meaning; no words are matched here.
import type { SearchDocument } from "../fields.js";
import { createRowAdder } from "./add-rows.js";
import type { Model } from "./model.js";
import { createPieceReader } from "./pieces.js";
import { createTextCutter, PARTS } from "./texts.js";

/** A vector of length 1 as whole numbers and the number that each of them stands for. */
export interface Vector {
  readonly values: Int8Array;
  readonly scale: number;
}

export interface Meaning {
  readonly dims: number;
  readQuery(query: string): Vector;
  readTool(document: SearchDocument): Vector;
}

const LARGEST = 127;

export function createMeaning({ vocabulary, joins, queryPieces, parts, ...table }: Model): Meaning {
  const { dims } = table;
  const readPieces = createPieceReader(vocabulary);
  const cut = createTextCutter(joins);
  // A phrase for each two neighbouring pieces at most.
  const mostRows = 2 * Math.max(queryPieces, ...parts.map(({ pieces }) => pieces));
  const addRows = createRowAdder(table, mostRows);
  const whole = new Float64Array(dims);

  return {
    dims,
    readQuery: (query) => toVector(addRows(readPieces(cut.query(query), queryPieces))),
    readTool(document) {
      const texts = cut.tool(document);
      whole.fill(0);
      for (const [index, part] of PARTS.entries()) {
        const { weight, pieces } = parts[index] ?? { weight: 0, pieces: 0 };
        if (texts[part] === "") continue;
        const sum = addRows(readPieces(texts[part], pieces));
        const share = weight / (lengthOf(sum) || 1);
        for (let at = 0; at < dims; at += 1) whole[at] = (whole[at] ?? 0) + share * (sum[at] ?? 0);
      }
      return toVector(whole);
    },
  };
}

/** A text without any known piece is near to nothing. */
function toVector(sum: Float32Array | Float64Array): Vector {
  const values = new Int8Array(sum.length);
  let largest = 0;
  for (const value of sum) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return { values, scale: 0 };
  const step = largest / LARGEST;
  for (let at = 0; at < sum.length; at += 1) values[at] = Math.round((sum[at] ?? 0) / step);
  return { values, scale: step / lengthOf(sum) };
}

function lengthOf(sum: Float32Array | Float64Array): number {
  let squares = 0;
  for (const value of sum) squares += value * value;
  return Math.sqrt(squares);
}
