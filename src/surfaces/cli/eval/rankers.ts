import type { FoundTools } from "../../../metatools/found-tools.js";
import { type CreateBaseline, toBaselineDocument } from "./baselines/baseline.js";
import { createBm25 } from "./baselines/bm25.js";
import { createMiniSearch } from "./baselines/minisearch.js";
import { createSeedScorer } from "./baselines/seed.js";
import type { StaticCatalog } from "./static-catalog.js";

/** Something that answers queries about one catalog. */
export interface Ranker {
  readonly name: string;
  /** Hidden tools do not exist for the query. */
  search(query: string, hidden: ReadonlySet<string>): Promise<FoundTools>;
}

export const OURS = "ours";
/** Ours without the model, as a baseline. */
export const WORDS = "words";

/** What others do, for ours to be measured against. */
export const BASELINES: ReadonlyMap<string, CreateBaseline> = new Map<string, CreateBaseline>([
  ["seed", createSeedScorer],
  ["bm25", createBm25],
  ["minisearch", createMiniSearch],
]);

/** The baseline of that name, or else what the catalog itself answers. The index is built by the time it is given. */
export async function createRanker(name: string, catalog: StaticCatalog): Promise<Ranker> {
  const create = BASELINES.get(name);
  if (create !== undefined) return await createBaselineRanker(name, create, catalog);
  await catalog.search("", new Set());
  return { name, search: (query, hidden) => catalog.search(query, hidden) };
}

async function createBaselineRanker(
  name: string,
  create: CreateBaseline,
  { snapshot: { tools } }: StaticCatalog,
): Promise<Ranker> {
  const rank = await create([...tools.values()].map(toBaselineDocument));
  return {
    name,
    async search(query, hidden) {
      const ranked = rank(query, hidden);
      const best = ranked[0]?.score ?? 1;
      const hits = ranked.flatMap(({ id, score }) => {
        const tool = tools.get(id);
        return tool === undefined ? [] : [{ tool, relevance: score / best }];
      });
      return { hits, more: 0, suggestions: [], pending: [], failed: [] };
    },
  };
}
