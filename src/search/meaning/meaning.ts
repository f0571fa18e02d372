// Converts texts to integer vectors. The dot product of two vectors, multiplied by their factors, is the semantic
// similarity of the texts.
import type { SearchDocument } from "../fields.js";
import { createRowAdder, type TableMemory } from "./add-rows.js";
import { type Closeness, createPieceComparer, createPieceKeeper } from "./closeness.js";
import { readModel } from "./model.js";
import { createPieceReader } from "./pieces.js";
import { createTextPreparer, PARTS } from "./texts.js";

/** A vector with Euclidean norm 1: integers, and the factor to multiply them with. */
export interface Vector {
  readonly values: Int8Array;
  readonly scale: number;
}

/** The vector of a tool, and its subword tokens for the second pass. */
export interface ToolMeaning extends Vector {
  readonly pieces: Uint16Array;
}

export interface Meaning {
  readonly dims: number;
  readQuery(query: string): Vector;
  readTool(document: SearchDocument): ToolMeaning;
  /**
   * Returns a function that compares the tokens of a tool with those of the query. It is valid until the next query.
   */
  comparePieces(query: string): (pieces: Uint16Array) => Closeness;
}

/** Opens the model whose file was read into `file`; throws if the file is invalid. */
export function openMeaning({ memory, file }: TableMemory): Meaning {
  const { vocabulary, joins, queryPieces, parts, ...table } = readModel(file);
  const readPieces = createPieceReader(vocabulary);
  const prepare = createTextPreparer(joins);
  const adder = createRowAdder(table, memory);
  const keeper = createPieceKeeper();
  const compareWith = createPieceComparer(table);

  return {
    dims: table.dims,
    /** Returns the vector of a query; a zero vector if the query has no known tokens. */
    readQuery(query) {
      adder.add(readPieces(prepare.query(query), queryPieces, adder.rows), 1);
      return adder.take();
    },
    readTool(document) {
      const texts = prepare.tool(document);
      for (let at = 0; at < PARTS.length; at += 1) {
        const text = texts[PARTS[at] ?? "name"];
        const { weight, pieces } = parts[at] ?? { weight: 0, pieces: 0 };
        const count = text === "" ? 0 : readPieces(text, pieces, adder.rows);
        if (count > 0) adder.add(count, weight);
        keeper.keep(adder.rows, count);
      }
      return { ...adder.take(), pieces: keeper.take() };
    },
    comparePieces(query) {
      return compareWith(adder.rows.slice(0, readPieces(prepare.query(query), queryPieces, adder.rows)));
    },
  };
}

/** The cosine similarity of two texts: 1 is equal, 0 is unrelated, below 0 is opposed. */
export function likenessOf(left: Vector, right: Vector): number {
  let product = 0;
  for (let at = 0; at < left.values.length; at += 1) product += (left.values[at] ?? 0) * (right.values[at] ?? 0);
  return product * left.scale * right.scale;
}
