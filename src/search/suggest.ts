import { errorsAllowed } from "../util/edit-distance.js";
import type { QueryParts } from "./query.js";
import { isStopWord } from "./stop-words.js";
import { tokenizeQuery } from "./tokenize.js";

const MOST_SUGGESTIONS = 5;
/** A long question is not searched through word by word for suggestions. */
const MOST_WORDS = 8;
const LONG_WORD = 7;
const NEAR_EACH = 3;

interface SuggestParts extends QueryParts {
  /** All servers, the largest first, and their documents. */
  readonly servers: () => ReadonlyMap<string, readonly number[]>;
  /** Those whose name looks like a word. */
  readonly nearestServers: (word: string) => readonly string[];
  readonly accepts: (document: number) => boolean;
}

/** Where a query found nothing: servers and words of the catalog that look like its words, else the largest servers. */
export function suggest(query: string, parts: SuggestParts): string[] {
  const content = tokenizeQuery(query, () => false).filter((word) => !isStopWord(word));
  const words = [...new Set(content)].slice(0, MOST_WORDS);
  if (!/[\p{L}\p{N}]/u.test(query)) return [];
  const servers = parts.servers();
  // A server shows as soon as this caller may see one of its documents.
  const isVisible = (server: string): boolean => servers.get(server)?.some(parts.accepts) === true;
  const near = new Set(words.flatMap((word) => parts.nearestServers(word).filter(isVisible).slice(0, NEAR_EACH)));
  for (const word of words) {
    if (near.size >= MOST_SUGGESTIONS) break;
    for (const candidate of findNearWords(word, parts)) near.add(candidate);
  }
  return near.size > 0 ? [...near].slice(0, MOST_SUGGESTIONS) : takeWhere(servers.keys(), isVisible);
}

function takeWhere(names: Iterable<string>, isWanted: (name: string) => boolean): string[] {
  const taken: string[] = [];
  for (const name of names) {
    if (isWanted(name)) taken.push(name);
    if (taken.length === MOST_SUGGESTIONS) break;
  }
  return taken;
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
