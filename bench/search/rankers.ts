import { openRanker } from "../../src/operations/evaluation/evaluate-search.js";
import type { Ranker } from "../../src/operations/evaluation/measure.js";
import { type CreateBaseline, toBaselineDocument } from "./baselines/baseline.js";
import { createBm25 } from "./baselines/bm25.js";
import { createMiniSearch } from "./baselines/minisearch.js";
import { createSeedScorer } from "./baselines/seed.js";
import type { StaticCatalog } from "../../src/operations/evaluation/static-catalog.js";

export const OURS = "ours";
/** Our search without the model, as a baseline. */
export const WORDS = "words";

/** The rankers that our search is compared with. */
export const BASELINES: ReadonlyMap<string, CreateBaseline> = new Map<string, CreateBaseline>([
  ["seed", createSeedScorer],
  ["bm25", createBm25],
  ["minisearch", createMiniSearch],
]);

/** The baseline with this name, otherwise our search. The index is built already. */
export async function createRanker(name: string, catalog: StaticCatalog): Promise<Ranker> {
  const create = BASELINES.get(name);
  if (create !== undefined) return await createBaselineRanker(name, create, catalog);
  return await openRanker(name, catalog);
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
      return {
        fit: hits.length === 0 ? "none" : "good",
        hits,
        also: [],
        missing: [],
        hasServers: true,
        pending: [],
        failed: [],
      };
    },
  };
}
