import type { FieldConstants, RankingConstants } from "./constants.js";
import { findDeprecation } from "./deprecation.js";
import { FIELD_NAMES, readFields, type SearchDocument } from "./fields.js";
import { TOOL_PIECES } from "./meaning/closeness.js";
import type { Meaning, ToolMeaning } from "./meaning/meaning.js";
import { copyText } from "../util/text.js";
import { countProductWords, type ProductWords } from "./product-words.js";
import { type BlockTraits, createBlockTraits } from "./block-traits.js";
import { splitChunks, toKey, tokenizeChunk } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * The index block of one group of documents, usually the tools of one server, as flat arrays: the terms of each
 * document and their weighted frequencies. It does not depend on documents of other groups, so it is cached until a
 * document of its own group changes.
 */
export interface Block {
  readonly ids: readonly string[];
  readonly servers: readonly string[];
  /** Document numbers by normalized name, id, or method and path (see `toKey`). */
  readonly named: ReadonlyMap<string, readonly number[]>;
  /** The number of characters of the longest key in `named`. */
  readonly longestKey: number;
  /** For each document, 1 if its description says that it is deprecated, otherwise 0. */
  readonly deprecated: Uint8Array;
  /**
   * For each document, the end of its range in `words` and `frequencies`. The range starts where the previous one ends.
   */
  readonly ends: Uint32Array;
  readonly words: Uint32Array;
  /** The weighted frequency of each word, in units of `FREQUENCY_STEP`. */
  readonly frequencies: Uint16Array;
  readonly traits: BlockTraits;
  readonly productWords: ProductWords;
  /** The embedding vectors of the documents; undefined if no model is used. */
  readonly meanings: Meanings | undefined;
}

/**
 * The embedding vectors of all documents in one array of integers, and for each vector the factor by which its integers
 * are multiplied.
 */
export interface Meanings {
  readonly values: Int8Array;
  readonly scales: Float32Array;
  /** `TOOL_PIECES` subword token numbers for each document. */
  readonly pieces: Uint16Array;
}

/**
 * The unit of weighted frequencies, which are stored in 16 bits. The maximum is therefore 64, far beyond the saturation
 * of BM25. A smaller unit does not change the ranking.
 */
export const FREQUENCY_STEP = 1 / 1024;
const MAX_STEPS = 0xffff;

export interface BlockParts {
  readonly vocabulary: Vocabulary;
  readonly ranking: RankingConstants;
  readonly meaning?: Meaning | undefined;
}

/** Builds an index block. A generator, so that the caller can pause at each `yield`; it yields no value. */
export type BlockBuilder = (documents: readonly SearchDocument[]) => Generator<void, Block>;

/** The number of documents that are indexed between two pauses. They take a few milliseconds. */
const DOCUMENTS_PER_TURN = 50;

/** Computes the first half of BM25F: sums the occurrences of each word, weighted by field and field length. */
export function createBlockBuilder({ vocabulary, ranking, meaning }: BlockParts): BlockBuilder {
  const fields = FIELD_NAMES.map((name) => ranking.fields[name]);
  const readText = createTextReader(vocabulary);
  // The frequencies in the current document, indexed by word number. All values are 0 between two documents.
  let frequencies = new Float64Array(1024);
  // Reused for all documents: allocating new arrays for each would cause most of the garbage.
  const read: number[] = [];
  const touched: number[] = [];
  let touchedCount = 0;

  const addText = (text: string, { weight, lengthNorm, usualLength }: FieldConstants): void => {
    const length = readText(text, read);
    const each = weight / (1 - lengthNorm + (lengthNorm * length) / usualLength);
    if (vocabulary.words.length > frequencies.length) frequencies = enlarge(frequencies, vocabulary.words.length);
    for (let at = 0; at < length; at += 1) {
      const word = read[at] ?? 0;
      const before = frequencies[word] ?? 0;
      if (before === 0) touched[touchedCount++] = word;
      frequencies[word] = before + each;
    }
  };

  const readDocument = (document: SearchDocument, into: WordList): void => {
    touchedCount = 0;
    const texts = readFields(document);
    for (let index = 0; index < texts.length; index += 1) {
      const text = texts[index] ?? "";
      const field = fields[index];
      if (text !== "" && field !== undefined) addText(text, field);
    }
    into.reserve(touchedCount);
    for (let at = 0; at < touchedCount; at += 1) {
      const word = touched[at] ?? 0;
      into.add(word, Math.min(Math.ceil((frequencies[word] ?? 0) / FREQUENCY_STEP), MAX_STEPS));
      frequencies[word] = 0;
    }
  };

  return function* build(unsorted) {
    // Sort by id, so that hits with equal scores have the same order in every index.
    const documents = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const ends = new Uint32Array(documents.length);
    const list = createWordList(documents.length * EXPECTED_WORDS);
    const traits = createBlockTraits(documents.length, vocabulary);
    const meanings = meaning === undefined ? undefined : createMeanings(documents.length, meaning.dims);
    for (const [number, document] of documents.entries()) {
      readDocument(document, list);
      ends[number] = list.count();
      traits.set(number, document);
      if (meaning !== undefined) meanings?.set(number, meaning.readTool(document));
      if (number % DOCUMENTS_PER_TURN === DOCUMENTS_PER_TURN - 1) yield;
    }
    const named = indexNames(documents);
    const servers = documents.map(({ server }) => server);
    return {
      ids: documents.map(({ id }) => id),
      servers,
      named,
      longestKey: [...named.keys()].reduce((most, key) => Math.max(most, key.length), 0),
      deprecated: Uint8Array.from(documents, ({ description }) => (findDeprecation(description) === undefined ? 0 : 1)),
      ends,
      ...list.take(),
      traits: traits.all,
      productWords: countProductWords(servers, traits.all, vocabulary),
      meanings: meanings?.all,
    };
  };
}

/**
 * The expected number of distinct words per document, for the initial size of the arrays. If there are more, the arrays
 * are enlarged.
 */
const EXPECTED_WORDS = 64;

interface WordList {
  count(): number;
  /** Ensures capacity for `more` additional words. */
  reserve(more: number): void;
  add(word: number, frequency: number): void;
  take(): Pick<Block, "words" | "frequencies">;
}

function createWordList(room: number): WordList {
  let words = new Uint32Array(room);
  let frequencies = new Uint16Array(room);
  let count = 0;
  return {
    count: () => count,
    reserve(more) {
      if (count + more <= words.length) return;
      const larger = 2 * (count + more);
      const [oldWords, oldFrequencies] = [words, frequencies];
      words = new Uint32Array(larger);
      words.set(oldWords);
      frequencies = new Uint16Array(larger);
      frequencies.set(oldFrequencies);
    },
    add(word, frequency) {
      words[count] = word;
      frequencies[count] = frequency;
      count += 1;
    },
    take: () => ({ words: words.slice(0, count), frequencies: frequencies.slice(0, count) }),
  };
}

function createMeanings(
  count: number,
  dims: number,
): { all: Meanings; set: (number: number, tool: ToolMeaning) => void } {
  const values = new Int8Array(count * dims);
  const scales = new Float32Array(count);
  const pieces = new Uint16Array(count * TOOL_PIECES);
  return {
    all: { values, scales, pieces },
    set(number, tool) {
      values.set(tool.values, number * dims);
      scales[number] = tool.scale;
      pieces.set(tool.pieces, number * TOOL_PIECES);
    },
  };
}

/**
 * Returns a function that writes the word numbers of a text into a list and returns their count. The words of each
 * chunk are cached, because many documents contain the same chunks.
 */
function createTextReader(vocabulary: Vocabulary): (text: string, into: number[]) => number {
  // Word numbers by chunk. Most chunks are one word, which is stored without an array.
  const known = new Map<string, number | readonly number[]>();
  const readChunk = (chunk: string): number | readonly number[] => {
    const copy = copyText(chunk);
    const numbers = tokenizeChunk(copy).map((word) => vocabulary.add(word));
    const [only] = numbers;
    const words = numbers.length === 1 && only !== undefined ? only : numbers;
    known.set(copy, words);
    return words;
  };
  return (text, into) => {
    let count = 0;
    const chunks = splitChunks(text);
    for (let at = 0; at < chunks.length; at += 1) {
      const chunk = chunks[at] ?? "";
      const numbers = known.get(chunk) ?? readChunk(chunk);
      if (typeof numbers === "number") into[count++] = numbers;
      else for (const number of numbers) into[count++] = number;
    }
    return count;
  };
}

function enlarge(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length * 2);
  larger.set(values);
  return larger;
}

function indexNames(documents: readonly SearchDocument[]): ReadonlyMap<string, readonly number[]> {
  const named = new Map<string, number[]>();
  for (const [number, { server, name, method, path }] of documents.entries()) {
    const request = method === undefined || path === undefined ? [] : [toKey(`${method} ${path}`)];
    for (const key of new Set([toKey(name), toKey(`${server}:${name}`), ...request])) {
      if (key === "") continue;
      const same = named.get(key);
      if (same === undefined) named.set(key, [number]);
      else same.push(number);
    }
  }
  return named;
}
