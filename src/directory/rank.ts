import type { Meaning } from "../search/meaning/meaning.js";
import { toRelevance } from "../search/relevance.js";
import { createSearchIndex } from "../search/search-index.js";
import { readDocumentId, toDocuments } from "./documents.js";
import type { DirectoryEntry } from "./entry.js";
import { createServerWords } from "./server-words.js";

/** A public server that was found for a query. */
export interface Suggestion {
  readonly entry: DirectoryEntry;
  /** Names of the tools that match the query, best first. */
  readonly tools: readonly string[];
  /** 0 to 1: how likely the server matches. It decides `isSure`, not the order. */
  readonly confidence: number;
  /** Whether the confidence is high enough to suggest the server. Otherwise it is only one of the closest matches. */
  readonly isSure: boolean;
}

/** How well one server matches one query. `relevance` and `strength` are 0 if no document of the server was found. */
export interface ServerEvidence {
  readonly entry: DirectoryEntry;
  readonly tools: readonly string[];
  /** Relevance of the server's best document, 0 to 1. It is lower if documents of other servers are equally good. */
  readonly relevance: number;
  /**
   * How much of the maximum score for the strongest words of the query the best document reaches, independent of other
   * servers.
   */
  readonly strength: number;
  readonly covered: number;
  readonly named: number;
}

export interface ServerRanker {
  search(query: string, limit: number): Suggestion[];
  /** The evidence for all candidates, unordered; the benchmark fits the weights with it. */
  weigh(query: string): ServerEvidence[];
}

export interface RankWeights {
  readonly covered: number;
  readonly named: number;
  readonly size: number;
}

export interface FitWeights {
  readonly constant: number;
  readonly strength: number;
  readonly named: number;
}

/**
 * Weights for the order of servers. `covered` and `size` are between the values that `npm run bench:find` fits on the
 * two halves of the measured servers. `named` is for queries with a product name, which that data does not contain.
 */
export const RANK_WEIGHTS: RankWeights = { covered: 4, named: 4, size: 0.4 };
/**
 * Weights for `confidence`, fitted on an earlier version of the directory. `npm run bench:find` prints the current fit
 * and the results on held-out requests.
 */
export const FIT_WEIGHTS: FitWeights = { constant: -5.25, strength: 10.9, named: 1.9 };
/** The threshold of `confidence` for `isSure`, fitted together with `FIT_WEIGHTS`. */
export const SURE_CONFIDENCE = 0.8;

/** Below this confidence, a server is not shown. */
const MIN_CONFIDENCE = 0.02;
/** Among this many top-ranked servers, each gets at least the confidence of every server that is ranked below it. */
const MAX_LIFTED = 3;
const MAX_TOOLS = 5;
/** How many servers become candidates only because of words in their entry, if none of their documents was found. */
const MAX_BY_WORDS = 10;
/** Keeps the log-odds finite for relevances of 0 and 1. */
const ODDS_EPSILON = 0.002;

export function createServerRanker(entries: readonly DirectoryEntry[], meaning: Meaning | undefined): ServerRanker {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const index = createSearchIndex(entries.flatMap(toDocuments), { meaning });
  const words = createServerWords(entries);

  const weigh = (query: string): ServerEvidence[] => {
    const matches = words.match(query);
    const found = new Map<string, Found>();
    for (const { id, evidence } of index.weigh(query).candidates) {
      const { server, tool } = readDocumentId(id);
      const known = found.get(server) ?? nothingFound();
      known.relevance = Math.max(known.relevance, toRelevance(evidence, meaning !== undefined));
      known.strength = Math.max(known.strength, evidence.strength);
      if (tool !== "" && known.tools.length < MAX_TOOLS) known.tools.push(tool);
      found.set(server, known);
    }
    const byWords = [...matches].toSorted(([, a], [, b]) => b.covered + b.named - a.covered - a.named);
    for (const [server] of byWords.slice(0, MAX_BY_WORDS)) if (!found.has(server)) found.set(server, nothingFound());
    return [...found].flatMap(([name, match]) => {
      const entry = byName.get(name);
      return entry === undefined ? [] : [{ entry, covered: 0, named: 0, ...matches.get(name), ...match }];
    });
  };

  return {
    weigh,
    search(query, limit) {
      const ordered = weigh(query)
        .map((evidence) => ({ evidence, score: toScore(evidence, RANK_WEIGHTS) }))
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ evidence }) => ({ evidence, confidence: toConfidence(evidence, FIT_WEIGHTS) }))
        .filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
      return ordered.map(({ evidence: { entry, tools }, confidence: own }, rank) => {
        const below = ordered.slice(rank, MAX_LIFTED).map(({ confidence }) => confidence);
        const confidence = Math.max(own, ...below);
        return { entry, tools, confidence, isSure: confidence >= SURE_CONFIDENCE };
      });
    },
  };
}

interface Found {
  relevance: number;
  strength: number;
  readonly tools: string[];
}

function nothingFound(): Found {
  return { relevance: 0, strength: 0, tools: [] };
}

/**
 * The probability that the server matches. It does not depend on other matches: two equivalent servers both get a high
 * value.
 */
export function toConfidence({ strength, named }: ServerEvidence, weights: FitWeights): number {
  const odds = weights.constant + weights.strength * strength + weights.named * named;
  return 1 / (1 + Math.exp(-odds));
}

/**
 * The score for the order. A server with many tools matches almost every query by chance, so its size lowers the score.
 */
export function toScore({ relevance, covered, named, entry }: ServerEvidence, weights: RankWeights): number {
  const odds = Math.log((relevance + ODDS_EPSILON) / (1 - relevance + ODDS_EPSILON));
  return odds + weights.covered * covered + weights.named * named - weights.size * Math.log(1 + entry.tools.length);
}
