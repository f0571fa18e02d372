import type { Block } from "./block.js";
import type { DocumentWords } from "./rerank.js";

/** From a document's number, counted through all blocks, to what its block knows of it. */
export interface Places {
  readonly size: number;
  idOf(document: number): string;
  serverOf(document: number): string;
  isDeprecated(document: number): boolean;
  wordsOf(document: number): DocumentWords;
  /** Documents that have a name or id with this key. */
  named(key: string): number[];
}

export function createPlaces(blocks: readonly Block[], size: number): Places {
  const blockOf = new Uint32Array(size);
  const firsts = new Uint32Array(blocks.length);
  let first = 0;
  for (const [number, { ids }] of blocks.entries()) {
    firsts[number] = first;
    blockOf.fill(number, first, first + ids.length);
    first += ids.length;
  }
  const longest = blocks.reduce((most, { longestKey }) => Math.max(most, longestKey), 0);
  const find = (document: number): { block: Block | undefined; at: number } => {
    const number = blockOf[document] ?? 0;
    return { block: blocks[number], at: document - (firsts[number] ?? 0) };
  };
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
    named(key) {
      if (key.length > longest) return [];
      const found: number[] = [];
      for (const [number, block] of blocks.entries()) {
        const own = block.named.get(key);
        if (own !== undefined) for (const at of own) found.push(at + (firsts[number] ?? 0));
      }
      return found;
    },
  };
}
