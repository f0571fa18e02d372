/** The labels of one series, by name: `{ server: "github" }`. Labels with an empty value are omitted. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** The suffix that is added to the family's name: `_bucket`, `_sum`, `_count`, or empty. */
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

/** All series of one metric name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Counter {
  add(labels: Labels, amount?: number): void;
  family(): Family;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  family(): Family;
}

interface About {
  readonly name: string;
  readonly help: string;
}

/**
 * The maximum number of series in a family, so that memory is bounded. Server names change with the configuration;
 * beyond the limit, new label values are counted in one common series.
 */
const MAX_SERIES = 5000;
export const OTHERS = "(other)";

export function createCounter(about: About): Counter {
  const series = createSeries(() => ({ value: 0 }));
  return {
    add(labels, amount = 1) {
      series.of(labels).value += amount;
    },
    family: () => ({
      ...about,
      kind: "counter",
      samples: series.all().map(([labels, { value }]) => ({ suffix: "", labels, value })),
    }),
  };
}

/** Creates a histogram. `bounds`: the upper bounds of the buckets, ascending; the bucket `+Inf` is added. */
export function createHistogram(about: About, bounds: readonly number[]): Histogram {
  const series = createSeries(() => ({ counts: bounds.map(() => 0), count: 0, sum: 0 }));
  return {
    observe(labels, value) {
      const one = series.of(labels);
      const bucket = bounds.findIndex((bound) => value <= bound);
      if (bucket >= 0) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.count += 1;
      one.sum += value;
    },
    family: () => ({
      ...about,
      kind: "histogram",
      samples: series.all().flatMap(([labels, one]) => toSamples(labels, bounds, one)),
    }),
  };
}

export function toGauge(about: About, samples: readonly (readonly [Labels, number])[]): Family {
  return { ...about, kind: "gauge", samples: samples.map(([labels, value]) => ({ suffix: "", labels, value })) };
}

/** A counter family with values that another component has counted. */
export function toCounter(about: About, samples: readonly (readonly [Labels, number])[]): Family {
  return { ...toGauge(about, samples), kind: "counter" };
}

interface Distribution {
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/** The samples of one histogram series. Buckets are cumulative: each includes the counts of the smaller ones. */
function toSamples(labels: Labels, bounds: readonly number[], { counts, count, sum }: Distribution): Sample[] {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...buckets,
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value: count },
  ];
}

interface Series<Value> {
  of(labels: Labels): Value;
  all(): (readonly [Labels, Value])[];
}

function createSeries<Value>(create: () => Value): Series<Value> {
  const known = new Map<string, readonly [Labels, Value]>();
  const add = (key: string, labels: Labels): readonly [Labels, Value] => {
    const added = [labels, create()] as const;
    known.set(key, added);
    return added;
  };
  return {
    of(labels) {
      const key = JSON.stringify(Object.values(labels));
      const found = known.get(key);
      if (found !== undefined) return found[1];
      if (known.size < MAX_SERIES || labels["server"] === undefined) return add(key, labels)[1];
      const shared = { ...labels, server: OTHERS };
      const sharedKey = JSON.stringify(Object.values(shared));
      return (known.get(sharedKey) ?? add(sharedKey, shared))[1];
    },
    all: () => [...known.values()],
  };
}
