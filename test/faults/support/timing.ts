import { quantile } from "./measure.js";

/** The longest of all but the slowest hundredth. */
export function p99(ms: readonly number[]): number {
  return ms.length === 0 ? 0 : quantile(ms, 0.99);
}

export interface Timed {
  readonly of: string;
  readonly ms: readonly number[];
  /** What it may take on a machine that does nothing else. */
  readonly gateMs: number;
  /** What the system itself took for the same in the same run. */
  readonly control: readonly number[];
}

/** Many times what the machine needs at that moment anyway is ours; less than that may be the machine's. */
const TIMES_CONTROL = 5;

/** Too slow is what is over the gate and also many times the control: a busy machine alone breaks no row. */
export function findSlow({ of, ms, gateMs, control }: Timed): string[] {
  const [found, idle] = [p99(ms), p99(control)];
  if (found <= gateMs || found <= TIMES_CONTROL * idle) return [];
  return [`${of}: p99 ${found.toFixed(0)} ms, for ${gateMs} ms allowed and ${idle.toFixed(0)} ms of the control`];
}

export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now();
  const value = await work();
  return { value, ms: performance.now() - from };
}
