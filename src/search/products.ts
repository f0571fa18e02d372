import { NONE } from "./block-traits.js";
import type { Block } from "./block.js";
import { countWord, type Postings } from "./postings.js";
import { mergeProductWords, type ProductWords } from "./product-words.js";
import { actionOf } from "./request/actions.js";
import { isStopWord } from "./stop-words.js";
import { tokenizeQuery } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** The products that a query names. */
export interface NamedProducts {
  /**
   * How far a tool with these words belongs to a named product, from 0 to 1; `OTHER_PRODUCT` if it does not, and the
   * query names a known product. `words`: the first word of the tool's name, or `NONE`, then the words of its server's
   * name.
   */
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
/** A shorter word is contained in other words by chance. */
const MIN_CONTAINED = 3;

/** A known name leaves no doubt: a tool of another product must fit much better to come first. */
const OTHER_PRODUCT = -0.5;

/** `known`: names of known products in the query, in lower case. */
export type FindProducts = (query: string, known: readonly string[]) => NamedProducts;

/** Product words of the query that follow each other. */
interface Run {
  readonly words: number[];
  /** The words that name a product without the other words of a server's name. */
  readonly sure: Set<number>;
  /** Whether one of the words is the name of a known product. */
  isKnown: boolean;
}

/** Returns a function that finds the products that a query names, among those of the catalog. */
export function createProductFinder({ blocks, vocabulary, postings }: ProductParts): FindProducts {
  const { counts, prefixes, joined }: ProductWords = mergeProductWords(blocks.map(({ productWords }) => productWords));

  /** The product words of the catalog that a name in the query stands for, if any. */
  const findWords = (name: string, isKnown: boolean): readonly number[] => {
    if (isStopWord(name) || actionOf(name) !== undefined) return [];
    const number = vocabulary.findWord(name);
    const count = number === undefined ? 0 : (counts.get(number) ?? 0);
    if (number === undefined || count === 0) return joined.get(name) ?? [];
    // A known name is a product even if other tools mention it often.
    const isProduct = count < postings.size && (isKnown || count >= MIN_SHARE * countWord(postings, number));
    return isProduct ? [number] : [];
  };

  const findRuns = (query: string, known: readonly string[]): Run[] => {
    const runs: Run[] = [];
    let last = -2;
    const words = toMarkedWords(query);
    for (const [position, { word, isNamed }] of words.entries()) {
      const next = words[position + 1]?.word ?? "";
      const isPhrase = known.includes(`${word} ${next}`);
      const found = [`${word}${next}`, word]
        .map((name) => ({ isKnown: known.includes(name), numbers: findWords(name, isPhrase || known.includes(name)) }))
        .find(({ numbers }) => numbers.length > 0);
      if (found === undefined || !(isNamed || isPhrase || found.isKnown || last === position - 1)) continue;
      if (last !== position - 1) runs.push({ words: [], sure: new Set(), isKnown: false });
      const run = runs.at(-1);
      if (run === undefined) continue;
      run.words.push(...found.numbers);
      run.isKnown ||= found.isKnown;
      for (const number of found.numbers) if (found.isKnown || prefixes.has(number)) run.sure.add(number);
      last = position;
    }
    return runs;
  };

  /** The number of words of a server's name, without those that contain another one, as `xeroapi` contains `xero`. */
  const countDistinct = (ofServer: Uint32Array): number => {
    const words = Array.from(ofServer, (number) => vocabulary.words[number] ?? "");
    const contains = (word: string, other: string): boolean =>
      word !== other && other.length >= MIN_CONTAINED && word.includes(other);
    return words.filter((word) => !words.some((other) => contains(word, other))).length;
  };

  return (query, known) => {
    const runs = findRuns(query, known);
    const other = runs.some(({ isKnown }) => isKnown) ? OTHER_PRODUCT : 0;
    return {
      isEmpty: runs.length === 0,
      nameOf(own) {
        if (runs.length === 0) return 0;
        const [prefix = NONE] = own;
        const ofServer = own.subarray(1);
        const length = countDistinct(ofServer);
        const share = runs.reduce((most, { words, sure }) => {
          const isOwn = (word: number): boolean => ofServer.includes(word) || (word === prefix && prefixes.has(word));
          if (words.every(isOwn) && words.some((word) => sure.has(word))) return 1;
          const common = words.filter((word) => ofServer.includes(word)).length;
          return Math.max(most, Math.min(common / Math.max(words.length, length), 1));
        }, 0);
        return share === 0 ? other : share;
      },
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
