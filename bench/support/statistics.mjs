/** The smallest value that at least this share of all values does not exceed. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

export const median = (values) => quantile(values, 0.5);

export const sum = (values) => values.reduce((total, value) => total + value, 0);

export const mean = (values) => sum(values) / values.length;

/** The items with the same key, in the order of the first of each. */
export function groupsOf(items, toKey) {
  const groups = new Map();
  for (const item of items) groups.set(toKey(item), [...(groups.get(toKey(item)) ?? []), item]);
  return [...groups.values()];
}

/** p10 and p90, for the column `spread`. */
export function spreadOf(values) {
  return { low: quantile(values, 0.1), high: quantile(values, 0.9) };
}

/** The quantile in each of several blocks of consecutive values, to show how much it varies over time. */
export function inBlocks(values, blocks, share) {
  const size = Math.ceil(values.length / blocks);
  const starts = Array.from({ length: Math.ceil(values.length / size) }, (_, block) => block * size);
  return starts.map((start) => quantile(values.slice(start, start + size), share));
}

/** Runs `act` `count` times and returns the milliseconds of each run. */
export async function timeEach(count, act) {
  const times = [];
  for (let round = 0; round < count; round += 1) {
    const started = performance.now();
    await act(round);
    times.push(performance.now() - started);
  }
  return times;
}
