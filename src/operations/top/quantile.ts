/** How many values are at most so large. */
export interface HistogramBucket {
  readonly bound: number;
  readonly count: number;
}

/** Of sorted values. */
export function quantileOf(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)];
}

/** Of buckets in ascending order, each with those of the smaller ones; within a bucket values are taken to be spread evenly. */
export function quantileIn(buckets: readonly HistogramBucket[], part: number): number | undefined {
  const wanted = (buckets.at(-1)?.count ?? 0) * part;
  if (wanted === 0) return undefined;
  let below: HistogramBucket = { bound: 0, count: 0 };
  for (const bucket of buckets) {
    if (bucket.count >= wanted) {
      if (!Number.isFinite(bucket.bound)) return below.bound;
      const share = (wanted - below.count) / (bucket.count - below.count);
      return below.bound + (bucket.bound - below.bound) * share;
    }
    below = bucket;
  }
  return below.bound;
}

/** What came between two states of the same buckets. */
export function between(before: readonly HistogramBucket[], after: readonly HistogramBucket[]): HistogramBucket[] {
  const known = new Map(before.map(({ bound, count }) => [bound, count]));
  return after.map(({ bound, count }) => ({ bound, count: Math.max(0, count - (known.get(bound) ?? 0)) }));
}
