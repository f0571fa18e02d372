import { takeAtMost, toDocument } from "./judged-sets.mjs";

/** More queries of one set than these tell nothing new. */
const MOST_QUERIES = 500;
/** So many hits are shown, and judged. */
const HITS = 10;

/**
 * What the ranker knows when it answers.
 * @typedef {object} Asked one query, asked of one catalog
 * @property {string} set
 * @property {"tune" | "report"} half
 * @property {"answerable" | "removed" | "unanswerable"} kind `removed`: answerable, had its tools not been taken out
 * @property {object} query
 * @property {{ id: string, evidence: object, isRight: boolean }[]} hits the best ones
 * @property {number} nearest the likeness of the candidate that is nearest in meaning
 */

/** @returns {Asked[]} */
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
    const asked = takeAtMost(queries, MOST_QUERIES);
    return [
      ...asked.map((query) => ask("answerable", query)),
      ...asked.map((query) => ask("removed", query, (right, id) => !right.has(id))),
      ...unanswerable.map((query) => ask("unanswerable", { query, relevant: [] })),
    ];
  });
}

/** For each item one divided by how many there are with the same key: groups weigh the same, however large. */
export function equalWeights(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return items.map((item) => 1 / counts.get(keyOf(item)));
}
