import { describeEstimate, type Estimate, inMiB, round, slopeOf } from "../measure.js";
import type { Gate } from "../row.js";
import type { Holding } from "./place.js";

/** Normal variation by compiled code and filled pools. */
const HEAP_SLACK_MIB = 12;
const RSS_SLACK_MIB = 64;
const STORE_SLACK = 1.1;
/** Only after this time a slope indicates a leak rather than the warm-up, and all caches have expired. */
export const JUDGED_SECONDS = 1800;
const MAX_MIB_PER_HOUR = 1;

/** The resources of both gateways at a moment. */
export interface Sample {
  readonly rssMiB: number;
  readonly storeMiB: number;
}

/** The memory of both gateways after a garbage collection. */
export interface Look {
  readonly hours: number;
  /** On and off the heap, as the engine reports it. */
  readonly liveMiB: number;
  readonly residentMiB: number;
}

interface Trend {
  /** Of the second half, in MiB per hour. */
  readonly live: Estimate;
  readonly resident: Estimate;
  /** The ratio of the largest value of the last quarter to that of the second quarter. */
  readonly store: number;
}

export function toTrend(samples: readonly Sample[], looks: readonly Look[]): Trend {
  const later = looks.slice(Math.floor(looks.length / 2));
  const largest = (quarter: number): number =>
    Math.max(
      ...samples
        .slice((samples.length * (quarter - 1)) / 4, (samples.length * quarter) / 4)
        .map(({ storeMiB }) => storeMiB),
    );
  return {
    live: slopeOf(later.map(({ hours, liveMiB }) => [hours, liveMiB])),
    resident: slopeOf(later.map(({ hours, residentMiB }) => [hours, residentMiB])),
    store: largest(4) / largest(2),
  };
}

export function judgeTrend({ live, resident, store }: Trend): string[] {
  const grows = (what: string, estimate: Estimate): string[] =>
    estimate.from > MAX_MIB_PER_HOUR ? [`the ${what} memory grows by ${describeEstimate(estimate)} MiB an hour`] : [];
  return [
    ...grows("live", live),
    ...grows("resident", resident),
    ...(store > STORE_SLACK ? [`the store grows: at the end it is ${round(store, 2)} times what it was`] : []),
  ];
}

/** A run that is too short has no trend. */
export function toGates(trend: Trend | undefined): Gate[] {
  const allowed = `${MAX_MIB_PER_HOUR} MiB an hour`;
  return (["live", "resident"] as const).map((what) => {
    const of = `growth of the ${what} memory of both gateways`;
    if (trend === undefined) return { of, allowed, seen: "too short a run", verdict: "not judged" };
    const verdict = trend[what].value <= MAX_MIB_PER_HOUR ? "met" : "not met";
    return { of, allowed, seen: describeEstimate(trend[what]), verdict };
  });
}

export function describeTrend({ live, resident, store }: Trend): Record<string, string | number> {
  return {
    "live memory of both in the second half, MiB per hour": describeEstimate(live),
    "resident memory of both in the second half, MiB per hour": describeEstimate(resident),
    "store of the last quarter, of that of the second": round(store, 2),
  };
}

const NAMES = ["stdio", "HTTP"];

export function judgeHoldings(before: readonly Holding[], after: readonly Holding[]): string[] {
  return NAMES.flatMap((name, index) => {
    const [was, is] = [before[index]!, after[index]!];
    const more = (what: string, from: number, to: number): string =>
      `the gateway over ${name} holds ${what}: ${from}, now ${to}`;
    return [
      ...(is.processes === was.processes ? [] : [more("processes", was.processes, is.processes)]),
      ...(is.descriptors <= was.descriptors ? [] : [more("descriptors", was.descriptors, is.descriptors)]),
      ...(inMiB(is.heapBytes - was.heapBytes) <= HEAP_SLACK_MIB
        ? []
        : [more("MiB of heap", inMiB(was.heapBytes), inMiB(is.heapBytes))]),
      ...(inMiB(is.rssBytes - was.rssBytes) <= RSS_SLACK_MIB
        ? []
        : [more("MiB", inMiB(was.rssBytes), inMiB(is.rssBytes))]),
    ];
  });
}

export function describeHoldings(before: readonly Holding[], after: readonly Holding[]): Record<string, string> {
  const pairs = (of: (holding: Holding) => number): string =>
    NAMES.map((name, index) => `${name} ${of(before[index]!)} → ${of(after[index]!)}`).join(", ");
  return {
    processes: pairs(({ processes }) => processes),
    descriptors: pairs(({ descriptors }) => descriptors),
    "heap, MiB": pairs(({ heapBytes }) => inMiB(heapBytes)),
    "resident, MiB": pairs(({ rssBytes }) => inMiB(rssBytes)),
    "store, MiB": `${inMiB(before[0]!.storeBytes)} → ${inMiB(after[0]!.storeBytes)}`,
  };
}
