import type { Random } from "./random.js";

export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted(sorted(values), share);
}

/** An estimate with its 95 % confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** Samples of the gateway and of the control, taken at about the same time. */
export interface Slice {
  readonly ours: readonly number[];
  readonly control: readonly number[];
}

const RESAMPLES = 400;
/** Fewer slices say nothing about the variance between slices. */
const FEWEST_SLICES = 4;
const MAX_ALIKE = 0.95;

/**
 * The ratio of a quantile of one sample to that of the other, by resampling whole slices of time: a disturbance of the
 * machine affects many calls at once, and calls of one slice are not independent. There is no result for few slices
 * or if a slice is empty on one side.
 */
export function ratioOfQuantiles(slices: readonly Slice[], share: number, random: Random): Estimate | undefined {
  if (slices.length < FEWEST_SLICES) return undefined;
  if (slices.some(({ ours, control }) => ours.length === 0 || control.length === 0)) return undefined;
  const ratio = (chosen: typeof slices): number =>
    quantile(
      chosen.flatMap(({ ours }) => ours),
      share,
    ) /
    quantile(
      chosen.flatMap(({ control }) => control),
      share,
    );
  const drawn = Array.from({ length: RESAMPLES }, () => ratio(slices.map(() => random.pick(slices))));
  return { value: ratio(slices), from: quantile(drawn, 0.025), to: quantile(drawn, 0.975) };
}

/** Two samples in the order in which they were taken, cut into the given number of slices. */
export function toSlices(ours: readonly number[], control: readonly number[], slices: number): Slice[] {
  const cut = (all: readonly number[], index: number): readonly number[] =>
    all.slice(Math.floor((index * all.length) / slices), Math.floor(((index + 1) * all.length) / slices));
  return Array.from({ length: slices }, (_, index) => ({ ours: cut(ours, index), control: cut(control, index) }));
}

/**
 * The slope of y by least squares, with twice its standard error on both sides. Consecutive points are not independent
 * if each resembles the previous one; the residuals of the line give the correlation
 * to correct for.
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Estimate {
  const mean = (values: readonly number[]): number => sum(values) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = sum(points.map(([at]) => (at - x) ** 2));
  const value = sum(points.map(([at, height]) => (at - x) * (height - y))) / spread;
  const rests = points.map(([at, height]) => height - y - value * (at - x));
  const rest = sum(rests.map((one) => one ** 2));
  const likeness = sum(rests.slice(1).map((one, index) => one * rests[index]!)) / rest;
  const shared = Math.min(Math.max(likeness || 0, 0), MAX_ALIKE);
  const error = Math.sqrt((rest / Math.max(points.length - 2, 1) / spread) * ((1 + shared) / (1 - shared)));
  return { value, from: value - 2 * error, to: value + 2 * error };
}

export const inMiB = (bytes: number): number => round(bytes / 2 ** 20);

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

export function describeEstimate(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "too few slices";
  const { value, from, to } = estimate;
  return `${round(value, 2)} (${round(from, 2)} to ${round(to, 2)})`;
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

function quantileOfSorted(values: readonly number[], share: number): number {
  return values[Math.max(Math.ceil(share * values.length) - 1, 0)] ?? Number.NaN;
}
