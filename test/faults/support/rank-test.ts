/**
 * The probability that two samples of one distribution differ this much in their ranks (Mann-Whitney, two-sided, normal
 * approximation): it makes no assumption about the distribution and is robust against outliers.
 */
export function rankTest(ones: readonly number[], others: readonly number[]): number {
  const all = [
    ...ones.map((value) => ({ value, isOne: true })),
    ...others.map((value) => ({ value, isOne: false })),
  ].toSorted((left, right) => left.value - right.value);
  let sum = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at += 1) if (all[at]?.isOne === true) sum += rank;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  const [n, m] = [ones.length, others.length];
  const mean = (n * (n + m + 1)) / 2;
  const variance = ((n * m) / 12) * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
  return 2 * upperTail(Math.abs(sum - mean) / Math.sqrt(variance));
}

/** Tail of the normal distribution; the continued fraction is exact far out, where the sum is not. */
function upperTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 3) {
    let fraction = z;
    for (let term = 40; term >= 1; term -= 1) fraction = z + term / fraction;
    return density / fraction;
  }
  let sum = z;
  let term = z;
  for (let index = 1; index < 60; index += 1) {
    term *= (z * z) / (2 * index + 1);
    sum += term;
  }
  return Math.max(0.5 - density * sum, 0);
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
