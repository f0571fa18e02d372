import { errorsAllowed } from "../util/edit-distance.js";
import { createNearestNames } from "./nearest.js";
import type { QueryParts } from "./query.js";
import { isStopWord } from "./stop-words.js";
import { tokenizeQuery } from "./tokenize.js";

const MOST_SUGGESTIONS = 5;
/** A long question is not searched through word by word for suggestions. */
const MOST_WORDS = 8;
const LONG_WORD = 7;

interface SuggestParts extends QueryParts {
  /** How many documents there are. */
  readonly size: number;
  readonly serverOf: (document: number) => string;
  readonly accepts: (document: number) => boolean;
}

/** Where a query found nothing: servers and words of the catalog that look like its words, else the largest servers. */
export function suggest(query: string, parts: SuggestParts): string[] {
  const content = tokenizeQuery(query, () => false).filter((word) => !isStopWord(word));
  const words = [...new Set(content)].slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const servers = listVisibleServers(parts);
  const nearestServers = createNearestNames(servers);
  const near = new Set(words.flatMap((word) => nearestServers(word)));
  for (const word of words) {
    if (near.size >= MOST_SUGGESTIONS) break;
    for (const candidate of findNearWords(word, parts)) near.add(candidate);
  }
  return (near.size > 0 ? [...near] : servers).slice(0, MOST_SUGGESTIONS);
}

/** Servers with documents that this caller may see, the largest first. */
function listVisibleServers({ size, serverOf, accepts }: SuggestParts): string[] {
  const counts = new Map<string, number>();
  for (let document = 0; document < size; document += 1) {
    if (!accepts(document)) continue;
    const server = serverOf(document);
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([server]) => server);
}

/** Long words may have one error more than a search forgives. A word that only hidden documents have would give them away, so it is not told. */
function findNearWords(word: string, { vocabulary, postings, nearWords, accepts }: SuggestParts): string[] {
  const isVisible = (candidate: string): boolean => {
    const number = vocabulary.findWord(candidate) ?? -1;
    return postings.documents.subarray(postings.starts[number], postings.starts[number + 1]).some(accepts);
  };
  const errors = errorsAllowed(word.length);
  return nearWords(word, word.length < LONG_WORD ? errors : errors + 1)
    .map((near) => near.word)
    .filter((candidate) => candidate !== word && isVisible(candidate));
}
