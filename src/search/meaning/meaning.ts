// Texts come in, vectors of whole numbers go out whose products tell how near two texts are in meaning; no words are matched here.
import type { SearchDocument } from "../fields.js";
import { createRowAdder, type TableMemory } from "./add-rows.js";
import { type Closeness, createCloseLook, createPieceKeeper } from "./closeness.js";
import { readModel } from "./model.js";
import { createPieceReader } from "./pieces.js";
import { createTextCutter, PARTS } from "./texts.js";

/** A vector of length 1 as whole numbers and the number that each of them stands for. */
export interface Vector {
  readonly values: Int8Array;
  readonly scale: number;
}

/** Of a tool the pieces are kept as well, for those that are looked at closely. */
export interface ToolMeaning extends Vector {
  readonly pieces: Uint16Array;
}

export interface Meaning {
  readonly dims: number;
  readQuery(query: string): Vector;
  readTool(document: SearchDocument): ToolMeaning;
  /** How close the pieces of tools are to those of a query, one by one. Valid until the next query. */
  compareClosely(query: string): (pieces: Uint16Array) => Closeness;
}

/** From the memory that a model file was read into; throws what is wrong with it. */
export function openMeaning({ memory, file }: TableMemory): Meaning {
  const { vocabulary, joins, queryPieces, parts, ...table } = readModel(file);
  const readPieces = createPieceReader(vocabulary);
  const cut = createTextCutter(joins);
  const adder = createRowAdder(table, memory);
  const keeper = createPieceKeeper();
  const lookClosely = createCloseLook(table);

  return {
    dims: table.dims,
    /** A text without any known piece is near to nothing. */
    readQuery(query) {
      adder.add(readPieces(cut.query(query), queryPieces, adder.rows), 1);
      return adder.take();
    },
    readTool(document) {
      const texts = cut.tool(document);
      for (let at = 0; at < PARTS.length; at += 1) {
        const text = texts[PARTS[at] ?? "name"];
        const { weight, pieces } = parts[at] ?? { weight: 0, pieces: 0 };
        const count = text === "" ? 0 : readPieces(text, pieces, adder.rows);
        if (count > 0) adder.add(count, weight);
        keeper.keep(adder.rows, count);
      }
      return { ...adder.take(), pieces: keeper.take() };
    },
    compareClosely(query) {
      return lookClosely(adder.rows.slice(0, readPieces(cut.query(query), queryPieces, adder.rows)));
    },
  };
}

/** How near two texts are: 1 is the same, 0 is nothing in common, below 0 is farther than that. */
export function likenessOf(left: Vector, right: Vector): number {
  let product = 0;
  for (let at = 0; at < left.values.length; at += 1) product += (left.values[at] ?? 0) * (right.values[at] ?? 0);
  return product * left.scale * right.scale;
}
