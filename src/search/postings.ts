import { FIELDS, type SearchDocument } from "./fields.js";
import { splitChunks, toStem, tokenizeChunk } from "./tokenize.js";

/** How soon further occurrences of a word stop to count. */
const SATURATION = 1.2;

/** For every term the documents that have it and how well, 0 to 1, in flat arrays: an object per posting would take ten times the memory. */
export interface Postings {
  readonly terms: ReadonlyMap<string, number>;
  /** Where a term's postings start; the next term's start is their end. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly qualities: Float32Array;
}

/** One channel knows words as they are written, the other their stems. */
export interface Channels {
  readonly words: Postings;
  readonly stems: Postings;
}

/** The words of all documents as numbers, document by document and field by field. */
interface TokenStream {
  readonly words: ReadonlyMap<string, number>;
  readonly tokens: Uint32Array;
  /** Where each document's fields end in `tokens`. */
  readonly ends: Uint32Array;
  readonly documents: number;
}

export function buildPostings(documents: readonly SearchDocument[]): Channels {
  const stream = readDocuments(documents);
  const stems = new Map<string, number>();
  const wordToStem = new Uint32Array(stream.words.size);
  for (const [word, number] of stream.words) wordToStem[number] = numberOf(stems, toStem(word));
  return {
    words: weigh(stream, { terms: stream.words }),
    stems: weigh(stream, { terms: stems, toTerm: wordToStem }),
  };
}

/** Undefined when no document has the term. */
export function findTerm(postings: Postings, term: string): { start: number; end: number } | undefined {
  const number = postings.terms.get(term);
  if (number === undefined) return undefined;
  return { start: postings.starts[number] ?? 0, end: postings.starts[number + 1] ?? 0 };
}

function readDocuments(documents: readonly SearchDocument[]): TokenStream {
  const words = new Map<string, number>();
  const chunks = new Map<string, readonly number[]>();
  const tokens: number[] = [];
  const read = (chunk: string): readonly number[] => {
    const known = chunks.get(chunk);
    if (known !== undefined) return known;
    const numbers = tokenizeChunk(chunk).map((word) => numberOf(words, word));
    chunks.set(chunk, numbers);
    return numbers;
  };
  const ends = new Uint32Array(documents.length * FIELDS.length);
  let field = 0;
  for (const document of documents) {
    for (const one of FIELDS) {
      for (const chunk of splitChunks(one.read(document))) tokens.push(...read(chunk));
      ends[field] = tokens.length;
      field += 1;
    }
  }
  return { words, tokens: Uint32Array.from(tokens), ends, documents: documents.length };
}

function numberOf(terms: Map<string, number>, term: string): number {
  const known = terms.get(term);
  if (known !== undefined) return known;
  terms.set(term, terms.size);
  return terms.size - 1;
}

interface Channel {
  readonly terms: ReadonlyMap<string, number>;
  /** From a word's number to its term's, where they differ. */
  readonly toTerm?: Uint32Array;
}

/** BM25F: occurrences are weighted by field and field length, added up, and only then saturated. */
function weigh(stream: TokenStream, { terms, toTerm }: Channel): Postings {
  const averages = averageLengths(stream);
  const frequencies = new Float64Array(terms.size);
  const found: { term: number[]; document: number[]; quality: number[] } = { term: [], document: [], quality: [] };
  const starts = new Uint32Array(terms.size + 1);
  let at = 0;
  for (let document = 0; document < stream.documents; document += 1) {
    const touched: number[] = [];
    for (const [index, field] of FIELDS.entries()) {
      const end = stream.ends[document * FIELDS.length + index] ?? at;
      const longer = (end - at) / (averages[index] ?? 1);
      const weight = field.weight / (1 - field.lengthNorm + field.lengthNorm * longer);
      for (; at < end; at += 1) {
        const word = stream.tokens[at] ?? 0;
        const term = toTerm?.[word] ?? word;
        if (frequencies[term] === 0) touched.push(term);
        frequencies[term] = (frequencies[term] ?? 0) + weight;
      }
    }
    for (const term of touched) {
      const frequency = frequencies[term] ?? 0;
      found.term.push(term);
      found.document.push(document);
      found.quality.push(frequency / (frequency + SATURATION));
      starts[term + 1] = (starts[term + 1] ?? 0) + 1;
      frequencies[term] = 0;
    }
  }
  for (let term = 0; term < terms.size; term += 1) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  return { terms, starts, ...sortByTerm(found, starts) };
}

function averageLengths({ ends, documents }: TokenStream): number[] {
  const totals = FIELDS.map(() => 0);
  let start = 0;
  for (const [index, end] of ends.entries()) {
    const field = index % FIELDS.length;
    totals[field] = (totals[field] ?? 0) + end - start;
    start = end;
  }
  return totals.map((total) => Math.max(total / Math.max(documents, 1), 1));
}

function sortByTerm(
  found: {
    readonly term: readonly number[];
    readonly document: readonly number[];
    readonly quality: readonly number[];
  },
  starts: Uint32Array,
): { documents: Uint32Array; qualities: Float32Array } {
  const documents = new Uint32Array(found.term.length);
  const qualities = new Float32Array(found.term.length);
  const next = starts.slice();
  for (const [index, term] of found.term.entries()) {
    const place = next[term] ?? 0;
    next[term] = place + 1;
    documents[place] = found.document[index] ?? 0;
    qualities[place] = found.quality[index] ?? 0;
  }
  return { documents, qualities };
}
