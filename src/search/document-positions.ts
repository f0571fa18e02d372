import type { Block } from "./block.js";
import { type BlockTraits, documentsWithUse, readStoredTraits, type StoredTraits } from "./block-traits.js";
import { TOOL_PIECES } from "./meaning/closeness.js";
import type { GeneralUse } from "./traits.js";
import type { DocumentWords } from "./rerank.js";

/** Maps document numbers, which count across all index blocks, to the data in the blocks. */
export interface DocumentPositions {
  readonly size: number;
  idOf(document: number): string;
  serverOf(document: number): string;
  isDeprecated(document: number): boolean;
  wordsOf(document: number): DocumentWords;
  traitsOf(document: number): StoredTraits;
  /** The documents that have this general use. */
  withUse(use: GeneralUse): readonly number[];
  /** The subword tokens of a document for the second pass; empty if no model is used. */
  piecesOf(document: number): Uint16Array;
  /** The documents whose name or id has this normalized form (see `toKey`). */
  named(key: string): number[];
}

export function createDocumentPositions(blocks: readonly Block[], size: number): DocumentPositions {
  const blockOf = new Uint32Array(size);
  const firsts = new Uint32Array(blocks.length);
  let first = 0;
  for (const [number, { ids }] of blocks.entries()) {
    firsts[number] = first;
    blockOf.fill(number, first, first + ids.length);
    first += ids.length;
  }
  const longestKeyOfAll = blocks.reduce((most, { longestKey }) => Math.max(most, longestKey), 0);
  const find = (document: number): { block: Block | undefined; at: number } => {
    const number = blockOf[document] ?? 0;
    return { block: blocks[number], at: document - (firsts[number] ?? 0) };
  };
  // Filled on the first request for a use: most catalogs have few general-purpose tools.
  const byUse = new Map<GeneralUse, readonly number[]>();
  let blockByKey: ReadonlyMap<string, number> | undefined;
  return {
    size,
    idOf(document) {
      const { block, at } = find(document);
      return block?.ids[at] ?? "";
    },
    serverOf(document) {
      const { block, at } = find(document);
      return block?.servers[at] ?? "";
    },
    isDeprecated(document) {
      const { block, at } = find(document);
      return block?.deprecated[at] === 1;
    },
    wordsOf(document) {
      const { block, at } = find(document);
      const start = at === 0 ? 0 : block?.ends[at - 1];
      const end = block?.ends[at];
      return {
        words: block?.words.subarray(start, end) ?? new Uint32Array(),
        frequencies: block?.frequencies.subarray(start, end) ?? new Uint16Array(),
      };
    },
    traitsOf(document) {
      const { block, at } = find(document);
      return readStoredTraits(block?.traits ?? NO_TRAITS, at);
    },
    withUse(use) {
      const known = byUse.get(use);
      if (known !== undefined) return known;
      const found = blocks.flatMap(({ traits }, number) =>
        documentsWithUse(traits, use).map((at) => at + (firsts[number] ?? 0)),
      );
      byUse.set(use, found);
      return found;
    },
    piecesOf(document) {
      const { block, at } = find(document);
      return block?.meanings?.pieces.subarray(at * TOOL_PIECES, (at + 1) * TOOL_PIECES) ?? new Uint16Array();
    },
    named(key) {
      if (key.length > longestKeyOfAll) return [];
      blockByKey ??= indexKeys(blocks);
      const home = blockByKey.get(key);
      if (home === undefined) return [];
      const found: number[] = [];
      for (const number of home === SEVERAL ? blocks.keys() : [home]) {
        for (const at of blocks[number]?.named.get(key) ?? []) found.push(at + (firsts[number] ?? 0));
      }
      return found;
    },
  };
}

const SEVERAL = -1;
const NO_TRAITS: BlockTraits = {
  actions: new Uint8Array(),
  flags: new Uint16Array(),
  objects: new Uint32Array(),
  needs: new Uint32Array(),
  products: new Uint32Array(),
};

/** For each normalized name, the number of the block that contains it, or `SEVERAL`. */
function indexKeys(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const homes = new Map<string, number>();
  for (const [number, { named }] of blocks.entries()) {
    for (const key of named.keys()) homes.set(key, homes.has(key) ? SEVERAL : number);
  }
  return homes;
}
