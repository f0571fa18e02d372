import type { Meaning } from "../search/meaning/meaning.js";
import { toRelevance } from "../search/relevance.js";
import { createSearchIndex } from "../search/search-index.js";
import { readDocumentId, toDocuments } from "./documents.js";
import type { DirectoryEntry } from "./entry.js";
import { createServerWords } from "./server-words.js";

export interface Suggestion {
  readonly entry: DirectoryEntry;
  /** Names of the tools that match the query, best first. */
  readonly tools: readonly string[];
  /** 0 to 1: how surely the server fits. It decides the verdict, not the order. */
  readonly confidence: number;
  /** Whether the server is suggested as an answer; the others are only the closest ones. */
  readonly isSure: boolean;
}

/** What is known of one server for one query. All numbers are 0 when none of its documents was found. */
export interface ServerEvidence {
  readonly entry: DirectoryEntry;
  readonly tools: readonly string[];
  /** Relevance of the server's best document: it is lower when other documents are as good. */
  readonly relevance: number;
  /** How fully one document answers the query's strongest words; other servers do not matter. */
  readonly strength: number;
  readonly covered: number;
  readonly named: number;
}

export interface ServerRanker {
  search(query: string, limit: number): Suggestion[];
  /** The evidence for all candidates, in no order; for the benchmark, which fits the weights. */
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

/** For the order of servers. `covered` and `size` lie between what `npm run bench:find` fits to the halves of the measured servers; `named` is for queries with a product's name, which that data lacks. */
export const RANK_WEIGHTS: RankWeights = { covered: 4, named: 4, size: 0.4 };
/** For the verdict: fitted on an earlier state of the directory. The same command prints today's fit and reports sets of requests that were left out of a fit. */
export const FIT_WEIGHTS: FitWeights = { constant: -5.25, strength: 10.9, named: 1.9 };
/** From this confidence on a suggestion is sure; fitted with the weights of the verdict. */
export const SURE_CONFIDENCE = 0.8;

/** Below this a server has hardly a word of the query and is not shown at all. */
const LEAST_CONFIDENCE = 0.02;
/** Among so many first servers, one is at least as sure as those ranked below it. */
const MOST_LIFTED = 3;
const MOST_TOOLS = 5;
/** So many servers come in by their words alone, when none of their documents is among the best. */
const MOST_BY_WORDS = 10;
/** Keeps the logarithm of the odds finite for relevances of 0 and 1. */
const LEAST_ODDS = 0.002;

export function createServerRanker(entries: readonly DirectoryEntry[], meaning: Meaning | undefined): ServerRanker {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const index = createSearchIndex(entries.flatMap(toDocuments), { meaning });
  const words = createServerWords(entries);

  const weigh = (query: string): ServerEvidence[] => {
    const matches = words.match(query);
    const found = new Map<string, Found>();
    for (const { id, evidence } of index.weigh(query)) {
      const { server, tool } = readDocumentId(id);
      const known = found.get(server) ?? nothingFound();
      known.relevance = Math.max(known.relevance, toRelevance(evidence, meaning !== undefined));
      known.strength = Math.max(known.strength, evidence.strength);
      if (tool !== "" && known.tools.length < MOST_TOOLS) known.tools.push(tool);
      found.set(server, known);
    }
    const byWords = [...matches].toSorted(([, a], [, b]) => b.covered + b.named - a.covered - a.named);
    for (const [server] of byWords.slice(0, MOST_BY_WORDS)) if (!found.has(server)) found.set(server, nothingFound());
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
        .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
      return ordered.map(({ evidence: { entry, tools }, confidence: own }, rank) => {
        const below = ordered.slice(rank, MOST_LIFTED).map(({ confidence }) => confidence);
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

/** Whether the server fits, however many others do: two servers that do the same are both sure. */
export function toConfidence({ strength, named }: ServerEvidence, weights: FitWeights): number {
  const odds = weights.constant + weights.strength * strength + weights.named * named;
  return 1 / (1 + Math.exp(-odds));
}

/** A server with many tools has a match for nearly every query by chance, so its size counts against it. */
export function toScore({ relevance, covered, named, entry }: ServerEvidence, weights: RankWeights): number {
  const odds = Math.log((relevance + LEAST_ODDS) / (1 - relevance + LEAST_ODDS));
  return odds + weights.covered * covered + weights.named * named - weights.size * Math.log(1 + entry.tools.length);
}
