/** The smallest value that at least this share of all values does not exceed. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

export const median = (values) => quantile(values, 0.5);

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Where most values lie, for the column `spread`. */
export function spreadOf(values) {
  return { low: quantile(values, 0.1), high: quantile(values, 0.9) };
}

/** The share's quantile in each of so many blocks of consecutive values: how much it differs from time to time. */
export function inBlocks(values, blocks, share) {
  const size = Math.ceil(values.length / blocks);
  const starts = Array.from({ length: Math.ceil(values.length / size) }, (_, block) => block * size);
  return starts.map((start) => quantile(values.slice(start, start + size), share));
}

/** Runs `act` so many times and gives the milliseconds of each. */
export async function timeEach(count, act) {
  const times = [];
  for (let round = 0; round < count; round += 1) {
    const started = performance.now();
    await act(round);
    times.push(performance.now() - started);
  }
  return times;
}
