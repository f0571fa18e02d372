import type { Block } from "./block.js";
import { countWord, type Postings } from "./postings.js";
import { actionOf } from "./request/actions.js";
import { isStopWord } from "./stop-words.js";
import { tokenizeQuery } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** The products that a query names. */
export interface NamedProducts {
  /** How far a tool with these product words belongs to a named product, from 0 to 1. */
  nameOf(words: Uint32Array): number;
  readonly isEmpty: boolean;
}

interface ProductParts {
  readonly blocks: readonly Block[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
}

/**
 * A word names a product if at least this share of the tools that contain the word have it in the name of their server
 * or at the start of their own name. Other words in server names, such as "time", are ordinary words.
 */
const MIN_SHARE = 0.5;
const UNUSED = 0xffffffff;

/** `known`: names of known products in the query, in lower case. */
export type FindProducts = (query: string, known: readonly string[]) => NamedProducts;

/** Returns a function that finds the products that a query names, among those of the catalog. */
export function createProductFinder({ blocks, vocabulary, postings }: ProductParts): FindProducts {
  // Counted at the first search, so that building an index stays fast.
  let counts: ReadonlyMap<number, number> | undefined;
  const isProduct = (word: number): boolean => {
    counts ??= countProducts(blocks);
    const count = counts.get(word) ?? 0;
    return count > 0 && count < postings.size && count >= MIN_SHARE * countWord(postings, word);
  };
  return (query, known) => {
    const runs: number[][] = [];
    let last = -2;
    const words = toMarkedWords(query);
    for (const [position, { word, isNamed }] of words.entries()) {
      const names = [`${word}${words[position + 1]?.word ?? ""}`, word];
      const product = names.flatMap((name) => {
        const number = isStopWord(name) || actionOf(name) !== undefined ? undefined : vocabulary.findWord(name);
        return number !== undefined && isProduct(number) ? [{ number, isNamed: isNamed || known.includes(name) }] : [];
      })[0];
      if (product === undefined || !(product.isNamed || last === position - 1)) continue;
      if (last === position - 1) runs.at(-1)?.push(product.number);
      else runs.push([product.number]);
      last = position;
    }
    return {
      isEmpty: runs.length === 0,
      nameOf: (own) =>
        runs.reduce((most, run) => {
          const common = run.filter((word) => own.includes(word)).length;
          return Math.max(most, common / Math.max(run.length, own.length));
        }, 0),
    };
  };
}

const BEFORE_PRODUCT = new Set("in on with via using from through at my".split(" "));

interface MarkedWord {
  readonly word: string;
  /** Whether the word may be a name: it has a capital letter inside a sentence, or follows a word such as "with". */
  readonly isNamed: boolean;
}

function toMarkedWords(query: string): MarkedWord[] {
  const marked: MarkedWord[] = [];
  let isStart = true;
  for (const [chunk] of query.matchAll(/[\p{L}\p{N}]+|[.!?:\n]/gu)) {
    if (/^[.!?:\n]$/u.test(chunk)) {
      isStart = true;
      continue;
    }
    const isCapital = /^\p{Lu}\P{Lu}/u.test(chunk) && !isStart;
    const isNamed = isCapital || /\p{Ll}\p{Lu}/u.test(chunk) || BEFORE_PRODUCT.has(marked.at(-1)?.word ?? "");
    for (const word of tokenizeQuery(chunk, () => false)) marked.push({ word, isNamed });
    isStart = false;
  }
  return marked;
}

/** For each word, the number of tools that have it as a product word. */
function countProducts(blocks: readonly Block[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { traits } of blocks) {
    for (const word of traits.products) if (word !== UNUSED) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
