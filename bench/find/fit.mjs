// Fits the weights of src/directory/rank.ts. run.mjs reports every figure on data that was not used for fitting.
const GRID = { covered: [0, 1, 2, 3, 4, 6, 8], named: [0, 1, 2, 3, 4, 6, 8], size: [0, 0.1, 0.2, 0.3, 0.4, 0.6] };
const ROUNDS = 2;
const MIN_GAIN = 1e-4;

/** Grid search, one weight after another, for the ranking weights that put the right server among the first three most often. */
export function fitRanking(rows, judge) {
  let weights = { covered: 2, named: 2, size: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, values] of Object.entries(GRID)) {
      let best = -1;
      let chosen = weights;
      for (const value of values) {
        const tried = { ...weights, [name]: value };
        const result = judge(rows, tried);
        if (result > best + MIN_GAIN) [best, chosen] = [result, tried];
      }
      weights = chosen;
    }
  }
  return weights;
}

const FEATURES = ["strength", "named"];
const STEPS = 400;
const RATE = 2;
const DECAY = 0.0005;
/** The share of unanswerable requests in the training data that may get a confident suggestion. */
const MAX_FALSE_SHARE = 0.02;

/** Logistic regression that separates right suggestions from suggestions for unanswerable requests. Both classes have the same total weight. */
export function fitVerdict(right, wrong, toConfidence) {
  const rows = [
    ...right.map((row) => [row, 1, 0.5 / right.length]),
    ...wrong.map((row) => [row, 0, 0.5 / wrong.length]),
  ];
  const scales = FEATURES.map((name) => {
    const mean = rows.reduce((sum, [row]) => sum + row[name], 0) / rows.length;
    const variance = rows.reduce((sum, [row]) => sum + (row[name] - mean) ** 2, 0) / rows.length;
    return { mean, deviation: Math.sqrt(variance) || 1 };
  });
  const points = rows.map(([row, label, weight]) => ({
    values: FEATURES.map((name, at) => (row[name] - scales[at].mean) / scales[at].deviation),
    label,
    weight,
  }));
  const fitted = [0, 0];
  let constant = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const slope = [0, 0];
    let shift = 0;
    for (const { values, label, weight } of points) {
      const odds = values.reduce((sum, value, at) => sum + value * fitted[at], constant);
      const error = weight * (label - 1 / (1 + Math.exp(-odds)));
      for (const [at, value] of values.entries()) slope[at] += error * value;
      shift += error;
    }
    for (const at of fitted.keys()) fitted[at] += RATE * slope[at] - DECAY * fitted[at];
    constant += RATE * shift;
  }
  const plain = fitted.map((value, at) => value / scales[at].deviation);
  const weights = {
    constant: constant - plain.reduce((sum, value, at) => sum + value * scales[at].mean, 0),
    ...Object.fromEntries(FEATURES.map((name, at) => [name, plain[at]])),
  };
  const confidences = wrong.map((row) => toConfidence(row, weights)).sort((a, b) => b - a);
  return { weights, threshold: confidences[Math.floor(confidences.length * MAX_FALSE_SHARE)] ?? 1 };
}
