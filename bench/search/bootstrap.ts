/** For one query: the difference between the scores of two rankers, for each measure. */
export type Differences = readonly number[];

export interface Interval {
  /** The measured mean. */
  readonly difference: number;
  /** 95 % of the resampled means are between `low` and `high`. */
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2_000;
const SEED = 0x9e3779b9;

/**
 * Paired bootstrap: one interval per measure, for the macro average of the sets. Queries are drawn with replacement within
 * each set, and all sets have the same weight. The same input gives the same intervals.
 */
export function bootstrap(sets: readonly (readonly Differences[])[], measures: number): Interval[] {
  const random = createRandom(SEED);
  const filled = sets.filter(({ length }) => length > 0);
  const resampled = Array.from({ length: measures }, () => new Float64Array(RESAMPLES));
  for (let round = 0; round < RESAMPLES; round += 1) {
    const means = macroMean(filled, measures, (size) => Math.floor(random() * size));
    for (const [measure, mean] of means.entries()) {
      const values = resampled[measure];
      if (values !== undefined) values[round] = mean;
    }
  }
  const measured = macroMean(filled, measures, (_size, index) => index);
  return resampled.map((values, measure) => ({ difference: measured[measure] ?? 0, ...percentiles(values.sort()) }));
}

function macroMean(
  sets: readonly (readonly Differences[])[],
  measures: number,
  choose: (size: number, index: number) => number,
): Float64Array {
  const means = new Float64Array(measures);
  for (const set of sets) {
    const sums = new Float64Array(measures);
    for (let index = 0; index < set.length; index += 1) {
      const drawn = set[choose(set.length, index)] ?? [];
      for (let measure = 0; measure < measures; measure += 1) {
        sums[measure] = (sums[measure] ?? 0) + (drawn[measure] ?? 0);
      }
    }
    for (const [measure, sum] of sums.entries())
      means[measure] = (means[measure] ?? 0) + sum / set.length / sets.length;
  }
  return means;
}

function percentiles(sorted: Float64Array): { low: number; high: number } {
  const tail = Math.round(sorted.length * 0.025);
  return { low: sorted[tail] ?? 0, high: sorted[sorted.length - 1 - tail] ?? 0 };
}

/** A xorshift generator: gives the same numbers on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
