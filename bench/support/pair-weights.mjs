import { takeAtMost, toDocument } from "./judged-sets.mjs";

/** The weights of the comparison of request and tool. Earlier use is not among them: the sets contain none. */
const WEIGHTS = ["action", "object", "product", "general", "lookup", "step"];
/** The values that are tried for a weight, as multiples of the one in `src/search/constants.ts`. */
const FACTORS = [0, 0.5, 1, 2];
const MAX_QUERIES = 80;

/**
 * Chooses the weights for each set without that set: starts with all weights off, and for one weight after the other
 * takes the value with the best mean nDCG@10 of the other sets. Returns nDCG@10 of the set that was left out with the
 * chosen weights, with those of `src/search/constants.ts`, and without the comparison.
 */
export function leaveOneSetOut(sets, internals, meaning) {
  const { RANKING } = internals;
  const measure = createMeasure(sets, internals, meaning);
  const off = Object.fromEntries(WEIGHTS.map((name) => [name, 0]));
  const shipped = Object.fromEntries(WEIGHTS.map((name) => [name, RANKING[name]]));
  return sets
    .map(({ name }, left) => {
      let chosen = off;
      for (const weight of WEIGHTS) {
        const [best] = FACTORS.map((factor) => ({ ...chosen, [weight]: factor * RANKING[weight] }))
          .map((weights) => ({ weights, score: mean(measure(weights).filter((_, set) => set !== left)) }))
          // The sort is stable: of equally good values, the lowest is taken.
          .toSorted((a, b) => b.score - a.score);
        chosen = best.weights;
      }
      return { set: name, chosen, ndcg: { chosen, shipped, off }, left };
    })
    .map(({ left, ndcg, ...one }) => ({
      ...one,
      ndcg: Object.fromEntries(Object.entries(ndcg).map(([key, weights]) => [key, measure(weights)[left]])),
    }));
}

/** Returns nDCG@10 of every set with these weights. */
function createMeasure(sets, internals, meaning) {
  const { buildIndex, createBlockBuilder, createVocabulary, RANKING, scoreAnswer } = internals;
  const places = sets.map(({ tools, queries }) => {
    const parts = { vocabulary: createVocabulary(), ranking: RANKING, meaning };
    const build = createBlockBuilder(parts);
    const block = finish(build(tools.map((tool) => toDocument(tool, internals))));
    return { parts, block, queries: takeAtMost(queries, MAX_QUERIES) };
  });
  const known = new Map();
  return (weights) => {
    const key = JSON.stringify(weights);
    if (!known.has(key)) {
      const scores = places.map(({ parts, block, queries }) => {
        const index = finish(buildIndex([block], { ...parts, ranking: { ...RANKING, ...weights } }));
        return mean(
          queries.map(({ query, relevant }) => {
            const ids = index.weigh(query).candidates.map(({ id }) => id);
            return scoreAnswer(relevant, ids.slice(0, 10))["ndcg@10"];
          }),
        );
      });
      known.set(key, scores);
    }
    return known.get(key);
  };
}

export function toWeightTable(results) {
  const share = (value) => value.toFixed(3);
  const rows = results.map(({ set, chosen, ndcg }) => [
    set,
    ...WEIGHTS.map((name) => Number(chosen[name].toPrecision(3))),
    share(ndcg.chosen),
    share(ndcg.shipped),
    share(ndcg.off),
  ]);
  const average = (key) => share(mean(results.map(({ ndcg }) => ndcg[key])));
  const heads = ["left out", ...WEIGHTS, "nDCG@10", "with the constants", "all off"];
  const last = ["macro", ...WEIGHTS.map(() => ""), average("chosen"), average("shipped"), average("off")];
  return [heads, heads.map(() => "---"), ...rows, last].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
