import { type BaselineDocument, type Rank, takeBest } from "./baseline.js";

// In tenths, so that sums are exact.
const WHOLE_IN_NAME = 10;
const WHOLE_IN_DESCRIPTION = 8;
const TOKEN_IN_NAME = 5;
const TOKEN_IN_DESCRIPTION = 3;
const TAG = 3;
const MAX_POINTS = 10;

/**
 * The scorer of the project's first design: adds points for substrings of the query in name and description and for tags
 * in the query, up to 1.0. The many documents with equal scores stay in the order of the catalog.
 */
export function createSeedScorer(documents: readonly BaselineDocument[]): Rank {
  const names = documents.map(({ name }) => name.toLowerCase());
  const descriptions = documents.map(({ description }) => description.toLowerCase());
  const inName = createFinder(names);
  const inDescription = createFinder(descriptions);
  const tagged = indexTags(documents);

  return (query, hidden) => {
    const wanted = query.toLowerCase();
    const points = new Uint32Array(documents.length);
    const add = (found: Iterable<number>, amount: number): void => {
      for (const document of found) points[document] = (points[document] ?? 0) + amount;
    };
    add(containing(names, wanted), WHOLE_IN_NAME);
    add(containing(descriptions, wanted), WHOLE_IN_DESCRIPTION);
    for (const token of wanted.split(/\s+/)) {
      add(inName(token), TOKEN_IN_NAME);
      add(inDescription(token), TOKEN_IN_DESCRIPTION);
    }
    for (const [tag, found] of tagged) if (wanted.includes(tag)) add(found, TAG);
    const scores = points.map((sum) => Math.min(sum, MAX_POINTS));
    return takeBest(scores, documents, hidden).map(({ id, score }) => ({ id, score: score / MAX_POINTS }));
  };
}

function* containing(texts: readonly string[], part: string): Iterable<number> {
  for (const [number, text] of texts.entries()) if (text.includes(part)) yield number;
}

/**
 * Finds the texts that contain a token. A token has no white space, so it is part of a single word: only the distinct
 * words are searched, and the results are cached.
 */
function createFinder(texts: readonly string[]): (token: string) => Iterable<number> {
  const textsByWord = new Map<string, number[]>();
  for (const [number, text] of texts.entries()) {
    for (const word of new Set(text.split(/\s+/))) {
      const list = textsByWord.get(word) ?? [];
      textsByWord.set(word, list);
      list.push(number);
    }
  }
  const cache = new Map<string, Uint32Array>();
  return (token) => {
    const known = cache.get(token);
    if (known !== undefined) return known;
    const found = new Set<number>();
    for (const [word, numbers] of textsByWord) {
      if (word.includes(token)) for (const number of numbers) found.add(number);
    }
    const packed = Uint32Array.from(found);
    cache.set(token, packed);
    return packed;
  };
}

/** A document that has a tag twice gets its points twice, as in the formula of the first design. */
function indexTags(documents: readonly BaselineDocument[]): ReadonlyMap<string, readonly number[]> {
  const tagged = new Map<string, number[]>();
  for (const [number, { tags }] of documents.entries()) {
    for (const tag of tags) {
      const key = tag.toLowerCase();
      const list = tagged.get(key) ?? [];
      tagged.set(key, list);
      list.push(number);
    }
  }
  return tagged;
}
