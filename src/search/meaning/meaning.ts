// Texts come in, vectors of whole numbers go out whose products tell how near two texts are in meaning; no words are matched here.
import type { SearchDocument } from "../fields.js";
import { createRowAdder, type TableMemory } from "./add-rows.js";
import { readModel } from "./model.js";
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

/** From the memory that a model file was read into; throws what is wrong with it. */
export function openMeaning({ memory, file }: TableMemory): Meaning {
  const { vocabulary, joins, queryPieces, parts, ...table } = readModel(file);
  const { dims } = table;
  const readPieces = createPieceReader(vocabulary);
  const cut = createTextCutter(joins);
  const addRows = createRowAdder(table, memory);
  const whole = new Float32Array(dims);

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
function toVector(sum: Float32Array): Vector {
  const values = new Int8Array(sum.length);
  let largest = 0;
  for (let at = 0; at < sum.length; at += 1) {
    const size = Math.abs(sum[at] ?? 0);
    if (size > largest) largest = size;
  }
  if (largest === 0) return { values, scale: 0 };
  const step = largest / LARGEST;
  for (let at = 0; at < sum.length; at += 1) values[at] = Math.round((sum[at] ?? 0) / step);
  return { values, scale: step / lengthOf(sum) };
}

function lengthOf(sum: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < sum.length; at += 1) squares += (sum[at] ?? 0) * (sum[at] ?? 0);
  return Math.sqrt(squares);
}

/** How near two texts are: 1 is the same, 0 is nothing in common, below 0 is farther than that. */
export function likenessOf(left: Vector, right: Vector): number {
  let product = 0;
  for (let at = 0; at < left.values.length; at += 1) product += (left.values[at] ?? 0) * (right.values[at] ?? 0);
  return product * left.scale * right.scale;
}
