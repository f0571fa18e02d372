import type { Meaning } from "../search/meaning/meaning.js";
import { createSearchIndex } from "../search/search-index.js";
import { readDocumentId, toDocuments } from "./documents.js";
import type { DirectoryEntry } from "./entry.js";

export interface Suggestion {
  readonly entry: DirectoryEntry;
  /** Names of the tools that match the query, best first. */
  readonly tools: readonly string[];
  /** 0 to 1: how much the best document of the server looks like the answer. */
  readonly confidence: number;
  /** Whether the match is good enough to be mentioned to an agent that did not ask for suggestions. */
  readonly isSure: boolean;
}

export interface ServerRanker {
  search(query: string, limit: number): Suggestion[];
}

/** So many documents are looked at for one question. */
const MOST_DOCUMENTS = 60;
const MOST_TOOLS = 5;
/** What further matching tools of a server add, beside its best one. */
const FURTHER_TOOL = 0.1;
/** Below this a server is not shown at all. Judged by `npm run bench:find`. */
const LEAST_CONFIDENCE = 0.1;
/** From here on an agent is told of the server. Judged by `npm run bench:find`. */
const SURE_CONFIDENCE = 0.75;

export function createServerRanker(entries: readonly DirectoryEntry[], meaning: Meaning | undefined): ServerRanker {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const index = createSearchIndex(entries.flatMap(toDocuments), { meaning });
  return {
    search(query, limit) {
      const found = new Map<string, { score: number; confidence: number; tools: string[] }>();
      for (const { id, relevance } of index.search(query, { limit: MOST_DOCUMENTS }).hits) {
        const { server, tool } = readDocumentId(id);
        const known = found.get(server);
        const matches = known ?? { score: relevance, confidence: relevance, tools: [] };
        if (known !== undefined) known.score += FURTHER_TOOL * relevance;
        if (tool !== "" && matches.tools.length < MOST_TOOLS) matches.tools.push(tool);
        found.set(server, matches);
      }
      return [...found]
        .filter(([, { confidence }]) => confidence >= LEAST_CONFIDENCE)
        .toSorted(([, a], [, b]) => b.score - a.score)
        .slice(0, limit)
        .flatMap(([name, { tools, confidence }]) => {
          const entry = byName.get(name);
          return entry === undefined ? [] : [{ entry, tools, confidence, isSure: confidence >= SURE_CONFIDENCE }];
        });
    },
  };
}
