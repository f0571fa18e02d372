import { describeEstimate, quantile, ratioOfQuantiles, type Slice } from "./measure.js";
import type { Random } from "./random.js";
import type { Gate } from "./row.js";

/** The longest of all but the slowest hundredth. */
export function p99(ms: readonly number[]): number {
  return ms.length === 0 ? 0 : quantile(ms, 0.99);
}

export interface Timed {
  readonly of: string;
  readonly ms: readonly number[];
  /** What it may take on a machine that does nothing else. */
  readonly gateMs: number;
  /** What the system itself took for the same in the same run; empty where nothing but computing time was counted. */
  readonly control: readonly number[];
  /** So many times the gate may still be a slow machine, whatever the control took: once, unless there is a reason. */
  readonly timesGate?: number;
}

/** What was timed, judged twice: against what is allowed, and against what the machine may be guilty of. */
export interface Judged {
  readonly gate: Gate;
  readonly violations: readonly string[];
}

/** Many times what the machine needs at that moment anyway is ours; less than that may be the machine's. */
const TIMES_CONTROL = 5;

/** Whether p99 is within its gate. Over it and also many times the control is a violation: a busy machine alone breaks no row. */
export function judgeTime(timed: Timed): Judged {
  const { of, ms, gateMs } = timed;
  const found = p99(ms);
  const [seen, verdict] = ms.length === 0 ? NO_SAMPLE : [toMs(found), toVerdict(found <= gateMs)];
  return { gate: { of, allowed: toMs(gateMs), seen, verdict }, violations: findSlow(timed) };
}

/** The second half of `judgeTime`. */
export function findSlow({ of, ms, gateMs, control, timesGate = 1 }: Timed): string[] {
  const [found, idle] = [p99(ms), p99(control)];
  if (found <= timesGate * gateMs || found <= TIMES_CONTROL * idle) return [];
  return [`${of}: p99 ${toMs(found)}, for ${toMs(gateMs)} allowed and ${toMs(idle)} of the control`];
}

export interface Compared {
  readonly of: string;
  readonly slices: readonly Slice[];
  /** How many times p99 of the control ours may be on a machine that does nothing else. */
  readonly most: number;
  /** Slices that do not take turns may differ by what else the machine did: from here on that does not explain it. */
  readonly unexplained?: { readonly times: number; readonly ms: number };
  readonly random: Random;
}

/** Whether p99 is within so many times the control's. It is a violation when even the lower end of the estimate is beyond. */
export function judgeRatio({ of, slices, most, unexplained, random }: Compared): Judged {
  const { times, ms } = unexplained ?? { times: most, ms: 0 };
  const ratio = ratioOfQuantiles(slices, 0.99, random);
  const ours = p99(slices.flatMap((slice) => slice.ours));
  const [seen, verdict] =
    ratio === undefined ? NO_SAMPLE : ([describeEstimate(ratio), toVerdict(ratio.value <= most)] as const);
  const isOurs = ratio !== undefined && ratio.from > times && ours > ms;
  return {
    gate: { of, allowed: `${most} × the control`, seen, verdict },
    violations: isOurs ? [`${of}: p99 is ${seen} times that of the control, for ${most} allowed`] : [],
  };
}

export interface Figure {
  readonly of: string;
  readonly seen: number;
  readonly most: number;
  /** More than this no busy machine explains. */
  readonly beyond: number;
  readonly unit: string;
}

/** Whether a figure that is no sample of times is small enough. */
export function judgeFigure({ of, seen, most, beyond, unit }: Figure): Judged {
  const [told, allowed] = [seen, most].map((value) => `${toShort(value)} ${unit}`) as [string, string];
  if (Number.isNaN(seen)) return { gate: { of, allowed, seen: NO_SAMPLE[0], verdict: NO_SAMPLE[1] }, violations: [] };
  return {
    gate: { of, allowed, seen: told, verdict: toVerdict(seen <= most) },
    violations: seen > beyond ? [`${of}: ${told}, for ${allowed} allowed`] : [],
  };
}

/** What a row gives back of all that it has judged. */
export function together(judged: readonly Judged[]): { gates: Gate[]; violations: string[] } {
  return { gates: judged.map(({ gate }) => gate), violations: judged.flatMap(({ violations }) => violations) };
}

export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now();
  const value = await work();
  return { value, ms: performance.now() - from };
}

const NO_SAMPLE = ["too few samples", "not judged"] as const;
const toVerdict = (isMet: boolean): Gate["verdict"] => (isMet ? "met" : "not met");
const toShort = (value: number): number => Number(value.toPrecision(3));
const toMs = (ms: number): string => `${toShort(ms)} ms`;
