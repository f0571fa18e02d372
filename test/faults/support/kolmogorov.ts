/** The Kolmogorov-Smirnov test: the probability of this distance between two samples of one distribution. */
export function compareSamples(one: readonly number[], other: readonly number[]): { distance: number; p: number } {
  const [a, b] = [one, other].map((sample) => [...sample].sort((x, y) => x - y)) as [number[], number[]];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const at = Math.min(a[i]!, b[j]!);
    while (i < a.length && a[i]! <= at) i += 1;
    while (j < b.length && b[j]! <= at) j += 1;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const size = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return { distance, p: tail((size + 0.12 + 0.11 / size) * distance) };
}

/** Kolmogorov's series; it converges badly near zero, where the result is one. */
function tail(x: number): number {
  if (x < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k += 1) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * x * x);
  return Math.min(1, Math.max(0, sum));
}
