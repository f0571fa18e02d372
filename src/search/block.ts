import type { FieldConstants, RankingConstants } from "./constants.js";
import { findDeprecation } from "./deprecation.js";
import { FIELD_NAMES, readFields, type SearchDocument } from "./fields.js";
import { TOOL_PIECES } from "./meaning/closeness.js";
import type { Meaning, ToolMeaning } from "./meaning/meaning.js";
import { copyText } from "../util/text.js";
import { splitChunks, toKey, tokenizeChunk } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * Some documents, usually one server's, as flat arrays: which words each has and how much each counts there. It does
 * not depend on other documents, so it is kept as long as these do not change.
 */
export interface Block {
  readonly ids: readonly string[];
  readonly servers: readonly string[];
  /** Which documents have a name or id with this key. */
  readonly named: ReadonlyMap<string, readonly number[]>;
  /** Nobody is named by more letters. */
  readonly longestKey: number;
  /** 1 where a document says that it is deprecated. */
  readonly deprecated: Uint8Array;
  /** Where a document's words end; the one before it tells where they start. */
  readonly ends: Uint32Array;
  readonly words: Uint32Array;
  /** In steps of `FREQUENCY_STEP`. */
  readonly frequencies: Uint16Array;
  /** What the documents mean, where that is known. */
  readonly meanings: Meanings | undefined;
}

/** A vector per document, one after the other, and what each one's numbers are to be multiplied with. */
export interface Meanings {
  readonly values: Int8Array;
  readonly scales: Float32Array;
  /** `TOOL_PIECES` of each document. */
  readonly pieces: Uint16Array;
}

/** A frequency of 64 is far beyond saturation, and finer steps change no ranking. */
export const FREQUENCY_STEP = 1 / 1024;
const MOST_STEPS = 0xffff;

export interface BlockParts {
  readonly vocabulary: Vocabulary;
  readonly ranking: RankingConstants;
  readonly meaning?: Meaning | undefined;
}

/** What it yields says nothing but that a pause is due. */
export type BlockBuilder = (documents: readonly SearchDocument[]) => Generator<void, Block>;

/** So many documents are read between two pauses: a few milliseconds. */
const DOCUMENTS_AT_ONCE = 50;

/** BM25F's first half: occurrences weighted by field and field length, added up by word. */
export function createBlockBuilder({ vocabulary, ranking, meaning }: BlockParts): BlockBuilder {
  const fields = FIELD_NAMES.map((name) => ranking.fields[name]);
  const readText = createTextReader(vocabulary);
  // By word, and all 0 between two documents.
  let frequencies = new Float64Array(1024);
  // Written over from text to text and from document to document: arrays that grow anew would be most of what is left behind.
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
      into.add(word, Math.min(Math.ceil((frequencies[word] ?? 0) / FREQUENCY_STEP), MOST_STEPS));
      frequencies[word] = 0;
    }
  };

  return function* build(given) {
    // In the order of their ids, so that equals are told in this order, however they came.
    const documents = given.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const ends = new Uint32Array(documents.length);
    const list = createWordList(documents.length * USUAL_WORDS);
    const meanings = meaning === undefined ? undefined : createMeanings(documents.length, meaning.dims);
    for (const [number, document] of documents.entries()) {
      readDocument(document, list);
      ends[number] = list.count();
      if (meaning !== undefined) meanings?.set(number, meaning.readTool(document));
      if (number % DOCUMENTS_AT_ONCE === DOCUMENTS_AT_ONCE - 1) yield;
    }
    const named = indexNames(documents);
    return {
      ids: documents.map(({ id }) => id),
      servers: documents.map(({ server }) => server),
      named,
      longestKey: [...named.keys()].reduce((most, key) => Math.max(most, key.length), 0),
      deprecated: Uint8Array.from(documents, ({ description }) => (findDeprecation(description) === undefined ? 0 : 1)),
      ends,
      ...list.take(),
      meanings: meanings?.all,
    };
  };
}

/** More or fewer are only a matter of copying. */
const USUAL_WORDS = 64;

interface WordList {
  count(): number;
  /** Makes room for so many more. */
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

/** Puts the words of a text into a list and tells how many they are; what a chunk says is remembered over many documents, which say much the same. */
function createTextReader(vocabulary: Vocabulary): (text: string, into: number[]) => number {
  // Most chunks are one word, and need no list.
  const known = new Map<string, number | readonly number[]>();
  const readChunk = (chunk: string): number | readonly number[] => {
    const own = copyText(chunk);
    const numbers = tokenizeChunk(own).map((word) => vocabulary.add(word));
    const [only] = numbers;
    const said = numbers.length === 1 && only !== undefined ? only : numbers;
    known.set(own, said);
    return said;
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
  for (const [number, { server, name }] of documents.entries()) {
    for (const key of new Set([toKey(name), toKey(`${server}:${name}`)])) {
      if (key === "") continue;
      const same = named.get(key);
      if (same === undefined) named.set(key, [number]);
      else same.push(number);
    }
  }
  return named;
}
