import { takeAtMost, toDocument } from "./judged-sets.mjs";

/** The maximum number of queries per set; more do not change the result. */
const MAX_QUERIES = 500;
/** The number of hits that are returned and evaluated. */
const HITS = 10;

/**
 * The evidence that the ranker has for its answer.
 * @typedef {object} QueryEvidence one query on one catalog
 * @property {string} set
 * @property {"tune" | "report"} half
 * @property {"answerable" | "removed" | "unanswerable"} kind `removed`: a query whose correct tools were removed from the catalog
 * @property {object} query
 * @property {{ id: string, evidence: object, isRight: boolean }[]} hits the best ones
 * @property {number} nearest the highest similarity in meaning among the candidates
 */

/** @returns {QueryEvidence[]} */
export function gatherEvidence(sets, internals, meaning) {
  const { createSearchIndex, isInHalf } = internals;
  return sets.flatMap(({ name, tools, queries, unanswerable }) => {
    const index = createSearchIndex(
      tools.map((tool) => toDocument(tool, internals)),
      { meaning },
    );
    const ask = (kind, query, accepts) => {
      const right = new Set(query.relevant.map(({ id }) => id));
      const found = index.weigh(query.query, accepts && ((id) => accepts(right, id)));
      return {
        set: name,
        half: isInHalf(query.query, "tune") ? "tune" : "report",
        kind,
        query,
        hits: found.slice(0, HITS).map(({ id, evidence }) => ({ id, evidence, isRight: right.has(id) })),
        nearest: Math.max(0, ...found.map(({ evidence }) => evidence.likeness)),
      };
    };
    const sampled = takeAtMost(queries, MAX_QUERIES);
    return [
      ...sampled.map((query) => ask("answerable", query)),
      ...sampled.map((query) => ask("removed", query, (right, id) => !right.has(id))),
      ...unanswerable.map((query) => ask("unanswerable", { query, relevant: [] })),
    ];
  });
}

/** For each item, 1 / (number of items with the same key), so that all groups have the same weight. */
export function equalWeights(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return items.map((item) => 1 / counts.get(keyOf(item)));
}
