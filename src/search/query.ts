import { type FindNearWords } from "./near-words.js";
import { type Channels, type Postings, findTerm } from "./postings.js";
import { synonymsOf } from "./synonyms.js";
import { toStem, tokenizeQuery } from "./tokenize.js";

const STEM_WEIGHT = 0.85;
const SYNONYM_WEIGHT = 0.5;
const NEAR_WEIGHT = 0.7;
/** A word that the catalog does not know is often a name or a value that no tool could know, so it counts less than a known one. */
const UNKNOWN_WEIGHT = 0.5;
/** Who mistypes more words than this in one query is not looked after: every look-up takes its time. */
const MOST_CORRECTED = 8;

/** One meaningful word of a query and all that may stand for it. */
export interface QueryWord {
  /** How much the word says, by its rarity. */
  readonly weight: number;
  readonly readings: readonly Reading[];
}

/** A run of postings, and what a document's quality in it counts for. */
export interface Reading {
  readonly postings: Postings;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

export interface QueryParts {
  readonly channels: Channels;
  readonly nearWords: FindNearWords;
  /** How many documents there are. */
  readonly size: number;
}

export function readQuery(query: string, parts: QueryParts): QueryWord[] {
  const { words } = parts.channels;
  let corrected = 0;
  const nearWords: FindNearWords = (word) => {
    corrected += 1;
    return corrected > MOST_CORRECTED ? [] : parts.nearWords(word);
  };
  return tokenizeQuery(query, (word) => words.terms.has(word)).map((word) => readWord(word, { ...parts, nearWords }));
}

function readWord(word: string, { channels, nearWords, size }: QueryParts): QueryWord {
  const stem = toStem(word);
  const own = findTerm(channels.stems, stem);
  const weight = toRarity(own === undefined ? 0 : own.end - own.start, size) * (own === undefined ? UNKNOWN_WEIGHT : 1);
  const readings: Reading[] = [];
  const read = (postings: Postings, term: string, share: number): void => {
    const run = findTerm(postings, term);
    if (run === undefined) return;
    readings.push({ postings, ...run, weight: share * Math.min(weight, toRarity(run.end - run.start, size)) });
  };
  read(channels.words, word, 1);
  read(channels.stems, stem, STEM_WEIGHT);
  for (const synonym of synonymsOf(stem)) read(channels.stems, synonym, SYNONYM_WEIGHT);
  if (readings.length === 0) {
    for (const near of nearWords(word)) read(channels.words, near.word, NEAR_WEIGHT / near.distance);
  }
  return { weight, readings };
}

function toRarity(documents: number, size: number): number {
  return Math.log(1 + (size + 1) / (documents + 0.5));
}
