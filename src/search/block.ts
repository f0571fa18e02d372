import type { FieldConstants, RankingConstants } from "./constants.js";
import { findDeprecation } from "./deprecation.js";
import { FIELD_NAMES, readFields, type SearchDocument } from "./fields.js";
import type { Meaning, Vector } from "./meaning/meaning.js";
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
  let touched: number[] = [];

  const addText = (text: string, { weight, lengthNorm, usualLength }: FieldConstants): void => {
    const chunks = readText(text);
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    const each = weight / (1 - lengthNorm + (lengthNorm * length) / usualLength);
    if (vocabulary.words.length > frequencies.length) frequencies = enlarge(frequencies, vocabulary.words.length);
    for (const chunk of chunks) {
      for (const word of chunk) {
        const before = frequencies[word] ?? 0;
        if (before === 0) touched.push(word);
        frequencies[word] = before + each;
      }
    }
  };

  const readDocument = (document: SearchDocument, words: number[], steps: number[]): void => {
    touched = [];
    for (const [index, text] of readFields(document).entries()) {
      const field = fields[index];
      if (text !== "" && field !== undefined) addText(text, field);
    }
    for (const word of touched) {
      words.push(word);
      steps.push(Math.min(Math.ceil((frequencies[word] ?? 0) / FREQUENCY_STEP), MOST_STEPS));
      frequencies[word] = 0;
    }
  };

  return function* build(given) {
    // In the order of their ids, so that equals are told in this order, however they came.
    const documents = given.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const ends = new Uint32Array(documents.length);
    const words: number[] = [];
    const steps: number[] = [];
    const meanings = meaning === undefined ? undefined : createMeanings(documents.length, meaning.dims);
    for (const [number, document] of documents.entries()) {
      readDocument(document, words, steps);
      ends[number] = words.length;
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
      words: Uint32Array.from(words),
      frequencies: Uint16Array.from(steps),
      meanings: meanings?.all,
    };
  };
}

function createMeanings(count: number, dims: number): { all: Meanings; set: (number: number, vector: Vector) => void } {
  const values = new Int8Array(count * dims);
  const scales = new Float32Array(count);
  return {
    all: { values, scales },
    set(number, vector) {
      values.set(vector.values, number * dims);
      scales[number] = vector.scale;
    },
  };
}

/** The words of a text, chunk by chunk; what a chunk says is remembered over many documents, which say much the same. */
function createTextReader(vocabulary: Vocabulary): (text: string) => readonly (readonly number[])[] {
  const known = new Map<string, readonly number[]>();
  return (text) =>
    splitChunks(text).map((chunk) => {
      let numbers = known.get(chunk);
      if (numbers === undefined) {
        const own = copyText(chunk);
        numbers = tokenizeChunk(own).map((word) => vocabulary.add(word));
        known.set(own, numbers);
      }
      return numbers;
    });
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
