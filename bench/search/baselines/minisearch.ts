import type { Options, SearchOptions } from "minisearch";
import { type BaselineDocument, MAX_HITS, type Rank } from "./baseline.js";
import { splitWords } from "./words.js";

const INDEX: Options = {
  fields: ["name", "description", "server", "parameters"],
  tokenize: splitWords,
  processTerm: (word) => word,
};

/** Prefixes and typing errors in short words match half the catalog, which costs more hits than it gains. */
const MAX_EXACT_LENGTH = 4;

const SEARCH: SearchOptions = {
  boost: { name: 3, server: 1.5, parameters: 0.7 },
  prefix: (word) => word.length > MAX_EXACT_LENGTH,
  fuzzy: (word) => (word.length > MAX_EXACT_LENGTH ? 0.2 : false),
};

/** The library MiniSearch, configured as its documentation recommends. */
export async function createMiniSearch(documents: readonly BaselineDocument[]): Promise<Rank> {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch(INDEX);
  index.addAll(
    documents.map(({ id, name, description, server, parameters }) => ({
      id,
      name,
      description,
      server,
      parameters: parameters.join(" "),
    })),
  );
  return (query, hidden) =>
    index
      .search(query, { ...SEARCH, filter: ({ id }) => !hidden.has(String(id)) })
      .slice(0, MAX_HITS)
      .map(({ id, score }) => ({ id: String(id), score }));
}
