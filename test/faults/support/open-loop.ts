import type { Random } from "./random.js";

export const MAX_IN_FLIGHT = 500;

/** A call whose start time is decided before the first call starts. */
export interface Planned<Call> {
  readonly atMs: number;
  readonly call: Call;
}

/** One call as its caller saw it. */
export interface Finished<Call, Ending> {
  readonly call: Call;
  readonly ending: Ending;
  /** Milliseconds from the start of the load to the planned start of the call. */
  readonly atMs: number;
  /** From the planned start of the call: waiting to start counts as latency. */
  readonly latencyMs: number;
}

export interface OpenLoop<Call, Ending> {
  readonly plan: Iterable<Planned<Call>>;
  readonly send: (call: Call) => Promise<Ending>;
  readonly onFinished: (finished: Finished<Call, Ending>) => void;
  readonly maxInFlight?: number;
}

export interface LoadReport {
  readonly started: number;
  readonly maxInFlight: number;
  readonly seconds: number;
  /** How many calls started late because too many were in flight. */
  readonly heldBack: number;
}

/** Calls start on schedule, whether or not earlier calls have finished; they wait only at the limit of calls in flight. */
export async function runOpenLoop<Call, Ending>(
  { plan, send, onFinished, maxInFlight: limit = MAX_IN_FLIGHT }: OpenLoop<Call, Ending>,
  signal?: AbortSignal,
): Promise<LoadReport> {
  const from = performance.now();
  const running = new Set<Promise<void>>();
  let [started, maxInFlight, heldBack] = [0, 0, 0];
  for (const { atMs, call } of plan) {
    await due(from + atMs, signal);
    if (signal?.aborted === true) break;
    if (running.size >= limit) heldBack += 1;
    while (running.size >= limit) await Promise.race(running);
    const work = send(call).then((ending) =>
      onFinished({ call, ending, atMs, latencyMs: performance.now() - from - atMs }),
    );
    const tracked: Promise<void> = work.finally(() => running.delete(tracked));
    running.add(tracked);
    started += 1;
    maxInFlight = Math.max(maxInFlight, running.size);
  }
  await Promise.all(running);
  return { started, maxInFlight, heldBack, seconds: (performance.now() - from) / 1000 };
}

export interface Arrivals<Call> {
  readonly random: Random;
  readonly perSecond: number;
  readonly seconds: number;
  readonly toCall: (number: number) => Call;
}

/** Calls at random moments, as from independent callers, at an average rate. */
export function* planArrivals<Call>({ random, perSecond, seconds, toCall }: Arrivals<Call>): Generator<Planned<Call>> {
  let atMs = 0;
  for (let number = 0; ; number += 1) {
    atMs += (-Math.log(1 - random.next()) / perSecond) * 1000;
    if (atMs >= seconds * 1000) return;
    yield { atMs, call: toCall(number) };
  }
}

/** Answered calls per second with a constant number of calls in flight. */
export async function measureCapacity(
  send: (number: number) => Promise<unknown>,
  { inFlight, seconds }: { readonly inFlight: number; readonly seconds: number },
): Promise<number> {
  const from = performance.now();
  const until = from + seconds * 1000;
  let sent = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) await send(sent++);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return sent / ((performance.now() - from) / 1000);
}

function due(at: number, signal: AbortSignal | undefined): Promise<void> {
  const left = at - performance.now();
  if (left <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, left);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
