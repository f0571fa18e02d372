// Fits the coefficients of relevance and fit in `src/search/relevance.ts`. The constants are fitted on all sets; the tables show each set with constants that were fitted on the other sets. With `--weights`, only chooses the weights of the comparison of request and tool for each set from the other sets.
import { join } from "node:path";
import { equalWeights, gatherEvidence } from "./support/evidence.mjs";
import { toCalibration, toVerdicts } from "./support/fit-report.mjs";
import {
  distinct,
  loadInternals,
  openRememberingMeaning,
  readJudgedSets,
  requireData,
} from "./support/judged-sets.mjs";
import { fitLogistic, predict } from "./support/logistic.mjs";
import { leaveOneSetOut, toWeightTable } from "./support/pair-weights.mjs";

/** The weight of the hits of an unanswerable query relative to those of an answerable one. */
const UNANSWERABLE = 0.3;
/** The first hit has more weight, because users look at it first. */
const FIRST_HIT = 3;
/** The highest mean share of answerable queries with the verdict `none` in the sets that the threshold is chosen on. */
const MAX_WRONG = 0.025;
const THRESHOLD_STEP = 0.005;

const folder = requireData();
const internals = await loadInternals();
const sets = await readJudgedSets(folder, internals);
const meaning = openRememberingMeaning(internals);
if (process.argv.includes("--weights")) {
  console.log(toWeightTable(leaveOneSetOut(sets, internals, meaning)));
} else {
  const distractors = distinct(await internals.readDistractors([join(folder, "corpus")], process.cwd()));
  report("by words", "BY_WORDS", undefined, ["covered"], distractors);
  report("by words and meaning", "BY_WORDS_AND_MEANING", meaning, ["covered", "likeness"], distractors);
}

function report(name, constant, model, keys, distractors) {
  console.error(`running the queries of ${name}`);
  const queries = gatherEvidence(sets, distractors, internals, model);
  const fitOn = (some) => ({ relevance: fitRelevance(some, [keys.at(-1), "share"]), fit: fitFit(some, keys) });
  const all = fitOn(queries);
  const judged = sets.flatMap(({ name: left }) => {
    const { relevance, fit } = fitOn(queries.filter(({ set }) => set !== left));
    return queries
      .filter(({ set }) => set === left)
      .map((one) => ({
        ...one,
        stated: one.hits.map(({ evidence }) => relevance.stateOf(evidence)),
        isNone: !fit.isFit(one),
      }));
  });
  console.log(
    [
      `## Relevance ${name}`,
      "",
      "```ts",
      `const ${constant}: RelevanceModel = ${toSource(all.relevance.model, 3)};`,
      `const FIT_${constant}: FitModel = ${toSource(all.fit.model, 3)};`,
      "```",
      "",
      "Each set with constants that were fitted on the other sets:",
      "",
      toCalibration(judged),
      "",
      toVerdicts(judged),
      "",
    ].join("\n"),
  );
}

/** Fits the probability that a hit is correct. Every set has the same weight in each catalog. */
function fitRelevance(queries, keys) {
  const hits = queries.flatMap(({ set, catalog, isAnswerable, hits: found }) =>
    found.map(({ evidence, isRight }, rank) => ({ set, catalog, isAnswerable, evidence, isRight, rank })),
  );
  const weights = equalWeights(hits, ({ set, catalog, isAnswerable }) => `${set} ${catalog} ${isAnswerable}`);
  const rowOf = (evidence) => keys.map((key) => evidence[key]);
  const fitted = fitLogistic({
    rows: hits.map(({ evidence }) => rowOf(evidence)),
    right: hits.map(({ isRight }) => (isRight ? 1 : 0)),
    weights: hits.map(
      ({ isAnswerable, rank }, index) =>
        weights[index] * (isAnswerable ? 1 : UNANSWERABLE) * (rank === 0 ? FIRST_HIT : 1),
    ),
  });
  return { model: toModel(fitted, keys), stateOf: (evidence) => predict(fitted, rowOf(evidence)) };
}

/** Fits the probability that any tool fits the query, on the small catalogs, and the threshold of the verdict `none`. */
function fitFit(queries, keys) {
  const small = queries.filter(({ catalog }) => catalog === "small");
  const rowOf = ({ most }) => keys.map((key) => most[key]);
  const fitted = fitLogistic({
    rows: small.map(rowOf),
    right: small.map(({ isAnswerable }) => (isAnswerable ? 1 : 0)),
    weights: equalWeights(small, ({ set, isAnswerable }) => `${set} ${isAnswerable}`),
  });
  const chanceOf = (one) => (one.isKnownToFit ? 1 : predict(fitted, rowOf(one)));
  const answerable = small.filter(({ isAnswerable }) => isAnswerable);
  const weights = equalWeights(answerable, ({ set }) => set);
  const count = new Set(answerable.map(({ set }) => set)).size;
  const wrongAt = (threshold) =>
    answerable.reduce((sum, one, index) => sum + (chanceOf(one) < threshold ? weights[index] : 0), 0) / count;
  let threshold = 0;
  while (threshold < 1 && wrongAt(threshold + THRESHOLD_STEP) <= MAX_WRONG) threshold += THRESHOLD_STEP;
  return { model: { ...toModel(fitted, keys), threshold }, isFit: (one) => chanceOf(one) >= threshold };
}

function toModel({ constant, factors }, keys) {
  const model = { constant, covered: 0, likeness: 0 };
  for (const [index, key] of keys.entries()) model[key] = factors[index];
  return model;
}

function toSource(model, digits) {
  const members = Object.entries(model).map(([key, value]) => `${key}: ${Number(value.toFixed(digits))}`);
  return `{ ${members.join(", ")} }`;
}
