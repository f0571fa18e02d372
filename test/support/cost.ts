// Comparisons of cost for tests. A test never compares a time with a fixed number of milliseconds: it compares the work
// with a control in the same run, so that a slow or busy machine makes both slower.
import { expect } from "vitest";
import { cpuMs } from "./cpu-time.js";

/** Rounds before a verdict. The lowest cost of all rounds counts: it includes the fewest pauses and interruptions. */
const MIN_ROUNDS = 3;
/** A ratio that is too high may be noise, and more rounds remove noise. An algorithm that is too slow fails in all of them. */
const MAX_ROUNDS = 12;
/** A ratio this far above the limit is not noise: more rounds of slow work would only delay the failure. */
const HOPELESS = 2;
/** Costs below this, in ms, are mostly noise: the control counts as at least this much. */
const FLOOR_MS = 2;

/** A clock in milliseconds. */
type Clock = () => number;

const wallMs: Clock = () => performance.now();

type Work = () => unknown;

async function costOf(work: Work, clock: Clock): Promise<number> {
  const from = clock();
  await work();
  return clock() - from;
}

async function expectRatio(clock: Clock, maxRatio: number, work: Work, control: Work): Promise<void> {
  let [least, leastControl, ratio] = [Infinity, Infinity, Infinity];
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    leastControl = Math.min(leastControl, await costOf(control, clock));
    least = Math.min(least, await costOf(work, clock));
    ratio = least / Math.max(leastControl, FLOOR_MS);
    if (round >= MIN_ROUNDS && (ratio < maxRatio || ratio > HOPELESS * maxRatio)) break;
  }
  expect(ratio, `${least.toFixed(1)} ms, with ${leastControl.toFixed(1)} ms for the control`).toBeLessThan(maxRatio);
}

/** Expects less than `maxRatio` times the CPU time of the control. For computation: the load of the machine does not count. */
export async function expectCpuTime(
  work: Work,
  { maxRatio, control }: { maxRatio: number; control: Work },
): Promise<void> {
  await expectRatio(cpuMs, maxRatio, work, control);
}

/** Expects less than `maxRatio` times the duration of the control. For work that waits: for a socket, a process or a timer. */
export async function expectDuration(
  work: Work,
  { maxRatio, control }: { maxRatio: number; control: Work },
): Promise<void> {
  await expectRatio(wallMs, maxRatio, work, control);
}

/**
 * Expects CPU time that grows in proportion to the size of the input: from `size` to `times * size` it may grow by
 * `times` to the power of 1.5, halfway between linear and quadratic. `prepare` makes the input, which is not measured.
 */
export async function expectLinear(prepare: (size: number) => Work, size: number, times = 8): Promise<void> {
  await expectCpuTime(prepare(size * times), { maxRatio: times ** 1.5, control: prepare(size) });
}

/** The same text as a flat string: `repeat` and `join` leave ropes that the first read has to flatten. */
export function flat(text: string): string {
  return Buffer.from(text).toString();
}
