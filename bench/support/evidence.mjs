import { takeAtMost, toDocument } from "./judged-sets.mjs";

/** The maximum number of queries per set; more do not change the result. */
const MAX_QUERIES = 300;
/** The maximum number of queries of another set that are used as unanswerable. */
const MAX_FOREIGN = 60;
/** The number of hits that are evaluated. */
const HITS = 10;

/**
 * For each set with a narrow catalog, the sets about other subjects: no tool of the catalog answers their queries. The
 * catalogs of the other sets are so broad that they have a tool for many queries of every set.
 */
const UNRELATED = {
  "azure-mcp-2025": ["restbench", "toolalpaca", "metatool"],
  "mcpproxy-golden": ["azure-mcp-2025", "restbench", "toolalpaca"],
  metatool: ["azure-mcp-2025"],
  restbench: ["azure-mcp-2025", "toolalpaca", "bfcl", "mcpproxy-golden"],
  toolalpaca: ["azure-mcp-2025", "restbench", "mcpproxy-golden"],
};

/**
 * The evidence that the ranker has for its answer.
 * @typedef {object} QueryEvidence one query on one catalog
 * @property {string} set
 * @property {"small" | "large"} catalog `large`: the tools of the set among those of `corpus/`
 * @property {boolean} isAnswerable
 * @property {object} query
 * @property {{ id: string, evidence: object, isRight: boolean }[]} hits the best ones
 * @property {{ covered: number, likeness: number }} most the highest values among all candidates
 * @property {boolean} isKnownToFit
 */

/** @returns {QueryEvidence[]} */
export function gatherEvidence(sets, distractors, internals, meaning) {
  const documentsOf = (tools) => tools.map((tool) => toDocument(tool, internals));
  const others = documentsOf(distractors);
  return sets.flatMap((set) => {
    const own = documentsOf(set.tools);
    const known = new Set(own.map(({ id }) => id));
    const ask = (catalog, index) => (query, isAnswerable) =>
      toEvidence(set.name, catalog, index.weigh(query.query), query, isAnswerable);
    const inSmall = ask("small", internals.createSearchIndex(own, { meaning }));
    const large = [...own, ...others.filter(({ id }) => !known.has(id))];
    const inLarge = ask("large", internals.createSearchIndex(large, { meaning }));
    const asked = takeAtMost(set.queries, MAX_QUERIES);
    const foreign = sets
      .filter(({ name }) => UNRELATED[set.name]?.includes(name))
      .flatMap(({ queries }) => takeAtMost(queries, MAX_FOREIGN));
    const unanswerable = [...set.unanswerable.map((query) => ({ query })), ...foreign];
    return [
      ...asked.map((query) => inSmall(query, true)),
      ...(distractors.length > 0 ? asked.map((query) => inLarge(query, true)) : []),
      ...unanswerable.map(({ query }) => inSmall({ query, relevant: [] }, false)),
    ];
  });
}

function toEvidence(set, catalog, { candidates, isKnownToFit }, query, isAnswerable) {
  const right = new Set(query.relevant.map(({ id }) => id));
  const most = (key) => Math.max(0, ...candidates.map(({ evidence }) => evidence[key]));
  return {
    set,
    catalog,
    isAnswerable,
    query,
    isKnownToFit,
    hits: candidates.slice(0, HITS).map(({ id, evidence }) => ({ id, evidence, isRight: right.has(id) })),
    most: { covered: most("covered"), likeness: most("likeness") },
  };
}

/** For each item, 1 / (number of items with the same key), so that all groups have the same weight. */
export function equalWeights(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return items.map((item) => 1 / counts.get(keyOf(item)));
}
