const ROUNDS = 60;
const ENOUGH = 1e-7;

/**
 * Logistic regression by Newton's method. Rows are lists of numbers, `right` is 0 or 1 for each row, and the row weights
 * may have any sum. `ridge` regularises the coefficients of the standardised columns.
 */
export function fitLogistic({ rows, right, weights, ridge = 1e-3 }) {
  const { scaled, means, deviations } = standardise(rows);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => weight / total);
  const columns = means.length;
  const fitted = zeros(columns + 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const step = solve(...slopesAt(fitted, { scaled, right, shares, ridge }));
    for (const [column, by] of step.entries()) fitted[column] += by;
    if (Math.max(...step.map(Math.abs)) < ENOUGH) break;
  }
  const factors = deviations.map((deviation, column) => fitted[column] / deviation);
  const constant = fitted[columns] - factors.reduce((sum, factor, column) => sum + factor * means[column], 0);
  return { constant, factors };
}

export function predict({ constant, factors }, row) {
  return 1 / (1 + Math.exp(-factors.reduce((sum, factor, column) => sum + factor * row[column], constant)));
}

/** Columns with mean 0 and deviation 1, and one more that is always 1. */
function standardise(rows) {
  const mean = (values) => values.reduce((sum, value) => sum + value / values.length, 0);
  const columns = rows[0].map((_, column) => rows.map((row) => row[column]));
  const means = columns.map(mean);
  const deviations = columns.map(
    (values, column) => Math.sqrt(mean(values.map((value) => (value - means[column]) ** 2))) || 1,
  );
  const scaled = rows.map((row) => [...row.map((value, column) => (value - means[column]) / deviations[column]), 1]);
  return { scaled, means, deviations };
}

/** The second derivatives of the likelihood and the first. */
function slopesAt(fitted, { scaled, right, shares, ridge }) {
  const size = fitted.length;
  const first = zeros(size);
  const second = Array.from({ length: size }, () => zeros(size));
  for (const [index, row] of scaled.entries()) {
    const stated = 1 / (1 + Math.exp(-row.reduce((sum, value, column) => sum + value * fitted[column], 0)));
    const error = shares[index] * (right[index] - stated);
    const spread = shares[index] * stated * (1 - stated);
    for (let column = 0; column < size; column += 1) {
      first[column] += error * row[column];
      for (let other = 0; other < size; other += 1) second[column][other] += spread * row[column] * row[other];
    }
  }
  for (let column = 0; column < size; column += 1) {
    const isConstant = column === size - 1;
    if (!isConstant) first[column] -= ridge * fitted[column];
    // Keeps the matrix from being singular.
    second[column][column] += (isConstant ? 0 : ridge) + 1e-9;
  }
  return [second, first];
}

/** Gaussian elimination without pivoting: the matrix is positive definite, so no diagonal element is zero. */
function solve(matrix, values) {
  const size = values.length;
  const rows = matrix.map((row, index) => [...row, values[index]]);
  for (let at = 0; at < size; at += 1) {
    for (let below = at + 1; below < size; below += 1) {
      const factor = rows[below][at] / rows[at][at];
      for (let column = at; column <= size; column += 1) rows[below][column] -= factor * rows[at][column];
    }
  }
  const solution = zeros(size);
  for (let at = size - 1; at >= 0; at -= 1) {
    const known = solution.reduce((sum, value, column) => (column > at ? sum + rows[at][column] * value : sum), 0);
    solution[at] = (rows[at][size] - known) / rows[at][at];
  }
  return solution;
}

function zeros(length) {
  return Array.from({ length }, () => 0);
}
