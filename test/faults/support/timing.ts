import { describeEstimate, quantile, ratioOfQuantiles, type Slice } from "./measure.js";
import type { Random } from "./random.js";
import type { Gate } from "./row.js";

/** The 99th percentile. */
export function p99(ms: readonly number[]): number {
  return ms.length === 0 ? 0 : quantile(ms, 0.99);
}

export interface Timed {
  readonly of: string;
  readonly ms: readonly number[];
  /** The allowed time on an idle machine. */
  readonly gateMs: number;
  /** The time of the system itself for the same work in the same run; empty if only processor time was counted. */
  readonly control: readonly number[];
  /** A slow machine may explain this multiple of the gate, whatever the control: 1, unless there is a reason. */
  readonly timesGate?: number;
}

/** A measured time, judged twice: against the limit, and against what a busy machine explains. */
export interface Judged {
  readonly gate: Gate;
  readonly violations: readonly string[];
}

/** A large multiple of the machine's own time is our defect; less may be caused by the machine. */
const TIMES_CONTROL = 5;

/** Whether p99 is within its gate. Above it and also far above the control is a violation: a busy machine alone breaks no row. */
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
  /** The allowed ratio of our p99 to the control's p99 on an idle machine. */
  readonly max: number;
  /** Slices that do not alternate may differ by other load: above this factor that does not explain it. */
  readonly unexplained?: { readonly times: number; readonly ms: number };
  readonly random: Random;
}

/** Whether the ratio of p99 is within its limit. It is a violation if the lower end of the estimate is above the limit. */
export function judgeRatio({ of, slices, max, unexplained, random }: Compared): Judged {
  const { times, ms } = unexplained ?? { times: max, ms: 0 };
  const ratio = ratioOfQuantiles(slices, 0.99, random);
  const ours = p99(slices.flatMap((slice) => slice.ours));
  const [seen, verdict] =
    ratio === undefined ? NO_SAMPLE : ([describeEstimate(ratio), toVerdict(ratio.value <= max)] as const);
  const isOurs = ratio !== undefined && ratio.from > times && ours > ms;
  return {
    gate: { of, allowed: `${max} × the control`, seen, verdict },
    violations: isOurs ? [`${of}: p99 is ${seen} times that of the control, for ${max} allowed`] : [],
  };
}

export interface Figure {
  readonly of: string;
  readonly seen: number;
  readonly max: number;
  /** A busy machine does not explain more than this. */
  readonly beyond: number;
  readonly unit: string;
}

/** Whether a figure other than a time sample is small enough. */
export function judgeFigure({ of, seen, max, beyond, unit }: Figure): Judged {
  const [reported, allowed] = [seen, max].map((value) => `${toShort(value)} ${unit}`) as [string, string];
  if (Number.isNaN(seen)) return { gate: { of, allowed, seen: NO_SAMPLE[0], verdict: NO_SAMPLE[1] }, violations: [] };
  return {
    gate: { of, allowed, seen: reported, verdict: toVerdict(seen <= max) },
    violations: seen > beyond ? [`${of}: ${reported}, for ${allowed} allowed`] : [],
  };
}

/** The part of a row's result with all judgements. */
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
