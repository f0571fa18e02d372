import { FREQUENCY_STEP } from "./block.js";
import type { RankingConstants } from "./constants.js";
import type { Query, QueryReading, Term } from "./query.js";
import { saturate, type Scored } from "./score.js";

/** A document that may match the query, with the contribution of each query term to its score. */
export interface RerankCandidate extends Scored {
  /** For each query term, its contribution to the score. */
  readonly contributions: readonly number[];
  /** For each query term, whether the document has the word itself or another form of it, not only a synonym. */
  readonly direct: readonly boolean[];
}

/** The word numbers of one document and their frequencies in units of `FREQUENCY_STEP`. */
export interface DocumentWords {
  readonly words: Uint32Array;
  readonly frequencies: Uint16Array;
}

export interface RerankParts {
  readonly wordsOf: (document: number) => DocumentWords;
  readonly serverOf: (document: number) => string;
  readonly isDeprecated: (document: number) => boolean;
  readonly ranking: RankingConstants;
}

/** How many of a server's best tools count for the server's score. */
const TOOLS_PER_SERVER = 3;

/**
 * Adjusts the scores for what the sum over words misses: queries with several clauses, servers with several matching
 * tools, and deprecated tools.
 */
export function rerank(documents: readonly number[], { terms, clauses }: Query, parts: RerankParts): RerankCandidate[] {
  const { ranking } = parts;
  const readings = readReadings(terms);
  const scored = documents.map((document) => {
    const found = contribute(parts.wordsOf(document), readings, { terms, ranking });
    return { document, score: sum(found.contributions), contributions: found.contributions, direct: found.direct };
  });
  const whole = scored.reduce((most, { score }) => Math.max(most, score), 0);
  const byClause =
    clauses.length > 1
      ? clauseShares(scored, { terms, clauses: clauses.length, scale: ranking.clauseScale / whole })
      : [];
  const withClauses = scored.map((candidate, index) => ({
    ...candidate,
    score:
      (candidate.score + ranking.clause * whole * (byClause[index] ?? 0)) *
      (parts.isDeprecated(candidate.document) ? ranking.deprecated : 1),
  }));
  const server = serverScores(withClauses, parts);
  return withClauses.map((candidate) => ({
    ...candidate,
    score: candidate.score + ranking.server * server(candidate.document),
  }));
}

type TermReading = QueryReading & { readonly term: number };

interface Readings {
  readonly byWord: ReadonlyMap<number, readonly TermReading[]>;
  /** Whether `byWord` may contain a word, by the lowest bits of its number: faster than asking the map. */
  readonly mayContain: Uint8Array;
}

const FILTER_SIZE = 1024;

function readReadings(terms: readonly Term[]): Readings {
  const byWord = new Map<number, TermReading[]>();
  const mayContain = new Uint8Array(FILTER_SIZE);
  for (const [term, { readings }] of terms.entries()) {
    for (const reading of readings) {
      mayContain[reading.word % FILTER_SIZE] = 1;
      const same = byWord.get(reading.word);
      if (same === undefined) byWord.set(reading.word, [{ ...reading, term }]);
      else same.push({ ...reading, term });
    }
  }
  return { byWord, mayContain };
}

function contribute(
  { words, frequencies }: DocumentWords,
  { byWord, mayContain }: Readings,
  { terms, ranking }: { readonly terms: readonly Term[]; readonly ranking: RankingConstants },
): Pick<RerankCandidate, "contributions" | "direct"> {
  // Plain arrays, because creating a typed array takes longer than filling it.
  const contributions = terms.map(() => 0);
  const direct = terms.map(() => false);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    const found = mayContain[word % FILTER_SIZE] === 1 ? byWord.get(word) : undefined;
    if (found === undefined) continue;
    for (const { term, share, kind } of found) {
      contributions[term] = (contributions[term] ?? 0) + share * (frequencies[at] ?? 0) * FREQUENCY_STEP;
      if (kind === "exact" || kind === "form") direct[term] = true;
    }
  }
  for (let term = 0; term < terms.length; term += 1) {
    const frequency = contributions[term] ?? 0;
    if (frequency > 0) contributions[term] = (terms[term]?.weight ?? 0) * saturate(frequency, ranking.saturation);
  }
  return { contributions, direct };
}

interface ClauseParts {
  readonly terms: readonly Term[];
  readonly clauses: number;
  /** A clause counts with its score times this factor, at most 1. */
  readonly scale: number;
}

/** For each candidate, how well it matches its best clause, relative to the candidate that matches that clause best. */
function clauseShares(candidates: readonly RerankCandidate[], { terms, clauses, scale }: ClauseParts): number[] {
  const shares = candidates.map(() => 0);
  for (let clause = 0; clause < clauses; clause += 1) {
    const inClause = [...terms.keys()].filter((term) => ((terms[term]?.clauses ?? 0) >> clause) & 1);
    const scores = candidates.map(({ contributions }) =>
      inClause.reduce((sum, term) => sum + (contributions[term] ?? 0), 0),
    );
    const top = Math.max(...scores);
    if (top <= 0) continue;
    for (const [index, score] of scores.entries()) {
      shares[index] = Math.max(shares[index] ?? 0, (score / top) * Math.min(1, score * scale));
    }
  }
  return shares;
}

/**
 * Returns a function that gives the mean score of the best tools of a document's server. If the server has fewer than
 * `TOOLS_PER_SERVER` candidates, the missing ones count as 0.
 */
function serverScores(candidates: readonly RerankCandidate[], { serverOf }: RerankParts): (document: number) => number {
  const byServer = new Map<string, number[]>();
  for (const { document, score } of candidates) {
    const server = serverOf(document);
    const scores = byServer.get(server);
    if (scores === undefined) byServer.set(server, [score]);
    else scores.push(score);
  }
  const means = new Map<string, number>();
  for (const [server, scores] of byServer) {
    const best = scores.sort((a, b) => b - a).slice(0, TOOLS_PER_SERVER);
    means.set(server, best.reduce((sum, score) => sum + score, 0) / TOOLS_PER_SERVER);
  }
  return (document) => means.get(serverOf(document)) ?? 0;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
