/** A cumulative histogram bucket, as in Prometheus: `count` values are at most `bound`. */
export interface HistogramBucket {
  readonly bound: number;
  readonly count: number;
}

/** The nearest-rank quantile of sorted values. */
export function quantileOf(sorted: readonly number[], quantile: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * quantile) - 1)];
}

/** Estimates a quantile from cumulative buckets in ascending order, by linear interpolation within the bucket. */
export function quantileIn(buckets: readonly HistogramBucket[], quantile: number): number | undefined {
  const rank = (buckets.at(-1)?.count ?? 0) * quantile;
  if (rank === 0) return undefined;
  let below: HistogramBucket = { bound: 0, count: 0 };
  for (const bucket of buckets) {
    if (bucket.count >= rank) {
      if (!Number.isFinite(bucket.bound)) return below.bound;
      const share = (rank - below.count) / (bucket.count - below.count);
      return below.bound + (bucket.bound - below.bound) * share;
    }
    below = bucket;
  }
  return below.bound;
}

/** The values that were added to the buckets between two states. */
export function subtractBuckets(
  before: readonly HistogramBucket[],
  after: readonly HistogramBucket[],
): HistogramBucket[] {
  const counts = new Map(before.map(({ bound, count }) => [bound, count]));
  return after.map(({ bound, count }) => ({ bound, count: Math.max(0, count - (counts.get(bound) ?? 0)) }));
}
