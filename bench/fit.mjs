// Fits the coefficients of relevance and rejection in `src/search/relevance.ts` on the half "tune" of the queries whose tools were not used to train the model, and evaluates them on the half "report".
import { equalWeights, gatherEvidence } from "./support/evidence.mjs";
import { toReliability, toRefusals } from "./support/fit-report.mjs";
import { loadInternals, openRememberingMeaning, readJudgedSets, requireData } from "./support/judged-sets.mjs";
import { fitLogistic, predict } from "./support/logistic.mjs";

const EVIDENCE = ["covered", "literal", "strength", "amount", "first", "lead", "distance", "length", "likeness"];
/** The weight of the hits of such a query relative to those of an answerable query. */
const SHARES = { answerable: 1, unanswerable: 0.3, removed: 0.1 };
/** The first hit has more weight, because users look at it first. */
const FIRST_HIT = 3;
const FITTING = { words: ["strength"], meaning: ["strength", "likeness", "length"] };
const MAX_WRONG_REJECTIONS = 0.035;
const THRESHOLD_STEP = 0.02;

const folder = requireData();
const internals = await loadInternals();
const sets = await readJudgedSets(folder, internals);
report("by words", "BY_WORDS", undefined);
report("by words and meaning", "BY_WORDS_AND_MEANING", openRememberingMeaning(internals));

function report(name, constant, meaning) {
  console.error(`running the queries of ${name}`);
  const queries = gatherEvidence(sets, internals, meaning);
  const evidence = meaning === undefined ? EVIDENCE.filter((key) => key !== "likeness") : EVIDENCE;
  const relevance = fitRelevance(queries, evidence);
  const fitting = fitFitting(queries, meaning === undefined ? FITTING.words : FITTING.meaning);
  const reported = queries.filter(({ half }) => half === "report");
  const maxWrong = `${(MAX_WRONG_REJECTIONS * 100).toFixed(1)} %`;
  console.log(
    [
      `## Relevance ${name}`,
      "",
      "```ts",
      `const ${constant}: RelevanceModel = ${toSource(relevance.model, 3)};`,
      `const FITTING_${constant} = ${toSource({ ...fitting.model, threshold: fitting.threshold }, 2)};`,
      "```",
      "",
      toReliability(reported, { ...internals, stateOf: relevance.stateOf, fits: fitting.fits }),
      "",
      `Rejected below ${fitting.threshold}, chosen for at most ${maxWrong} wrong rejections on the half "tune":`,
      "",
      toRefusals(queries, fitting.fits),
      "",
    ].join("\n"),
  );
}

/** Fits the probability that a hit is correct. Sets have equal weight within each kind of query. */
function fitRelevance(queries, keys) {
  const hits = queries.flatMap(({ set, half, kind, hits }) =>
    hits.map(({ evidence, isRight }, rank) => ({ set, half, kind, evidence, isRight, rank })),
  );
  const weights = equalWeights(hits, ({ set, half, kind }) => `${set} ${half} ${kind}`);
  const weighed = hits.map((hit, index) => ({
    ...hit,
    weight: weights[index] * SHARES[hit.kind] * (hit.rank === 0 ? FIRST_HIT : 1),
  }));
  const training = weighed.filter(({ half }) => half === "tune");
  const rowOf = (evidence) => keys.map((key) => evidence[key]);
  const fitted = fitLogistic({
    rows: training.map(({ evidence }) => rowOf(evidence)),
    right: training.map(({ isRight }) => (isRight ? 1 : 0)),
    weights: training.map(({ weight }) => weight),
  });
  return { model: toModel(fitted, keys, EVIDENCE), stateOf: (evidence) => predict(fitted, rowOf(evidence)) };
}

/** Fits the decision whether any tool matches the query. Queries whose tools were removed are not used, because similar tools remain in the catalog. */
function fitFitting(queries, keys) {
  const rowOf = ({ hits, nearest }) =>
    keys.map((key) => (key === "likeness" ? nearest : (hits[0]?.evidence[key] ?? 0)));
  const training = queries.filter(({ half, kind }) => half === "tune" && kind !== "removed");
  const fitted = fitLogistic({
    rows: training.map(rowOf),
    right: training.map(({ kind }) => (kind === "answerable" ? 1 : 0)),
    weights: equalWeights(training, ({ set, kind }) => `${set} ${kind}`),
  });
  const chanceOf = (one) => predict(fitted, rowOf(one));
  const threshold = chooseThreshold(
    training.filter(({ kind }) => kind === "answerable"),
    chanceOf,
  );
  return {
    model: toModel(fitted, keys, FITTING.meaning),
    threshold,
    // A query without candidates counts as having no match.
    fits: (one) => one.hits.length > 0 && chanceOf(one) >= threshold,
  };
}

/** The highest threshold that does not reject too many answerable queries. Each set has the same weight. */
function chooseThreshold(answerable, chanceOf) {
  const weights = equalWeights(answerable, ({ set }) => set);
  const setCount = new Set(answerable.map(({ set }) => set)).size;
  const wrongAt = (threshold) =>
    answerable.reduce((sum, one, index) => sum + (chanceOf(one) < threshold ? weights[index] : 0), 0) / setCount;
  let steps = 1;
  while (steps * THRESHOLD_STEP < 0.9 && wrongAt((steps + 1) * THRESHOLD_STEP) <= MAX_WRONG_REJECTIONS) steps += 1;
  return Number((steps * THRESHOLD_STEP).toFixed(2));
}

function toModel({ constant, factors }, keys, names) {
  return { constant, ...Object.fromEntries(names.map((name) => [name, factors[keys.indexOf(name)] ?? 0])) };
}

function toSource(model, digits) {
  const entries = Object.entries(model).map(([name, value]) => `${name}: ${Number(value.toFixed(digits))}`);
  const line = `{ ${entries.join(", ")} }`;
  return line.length <= 80 ? line : `{\n${entries.map((entry) => `  ${entry},\n`).join("")}}`;
}
