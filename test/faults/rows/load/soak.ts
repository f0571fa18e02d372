// Two gateways at half of their capacity for a chosen time, with one fault after another: no call is lost or executed
// twice, and at the end the gateways use as many resources as at the beginning.
import { rssOf } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { findViolations } from "../../support/history.js";
import { inHome } from "../../support/home.js";
import { lookInside } from "../../support/inside.js";
import { inMiB, quantile, round } from "../../support/measure.js";
import { measureCapacity, planArrivals, runOpenLoop } from "../../support/open-loop.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { createMix, note, type SoakHistory, sendCall } from "../../support/soak/calls.js";
import { createFaults } from "../../support/soak/faults.js";
import {
  describeHoldings,
  describeTrend,
  judgeHoldings,
  judgeTrend,
  JUDGED_SECONDS,
  type Look,
  type Sample,
  toGates,
  toTrend,
} from "../../support/soak/judge.js";
import { openSoakPlace, SERVERS, type SoakPlace, storeBytesOf, takeHoldings } from "../../support/soak/place.js";
import { readWholeRecord } from "../../support/soak/whole-record.js";

const CAPACITY_IN_FLIGHT = 32;
const LOAD_SHARE = 0.5;
/** More calls per hour would need more memory than the checker has. */
const MAX_PER_SECOND = 250;
const FAULT_EVERY_MS = 3000;
const SAMPLE_EVERY_MS = 5000;
const TELL_EVERY_MS = 30_000;
/** Each sample forces a garbage collection, which a gateway would run later anyway. */
const LOOK_EVERY_MS = 60_000;
/** After the last fault the circuit breaker may keep a server closed for a minute. */
const RECOVERY_LIMIT_MS = 120_000;

/** `count`: how many seconds the load lasts. */
export async function soak(options: RowOptions): Promise<RowResult> {
  return await runSoak(options);
}

/** An early stop is checked like the planned end. */
export async function runSoak({ count, seed, dist, onProgress }: RowOptions, signal?: AbortSignal): Promise<RowResult> {
  return await inHome(async (home) => {
    const place = await openSoakPlace(home, dist);
    const random = createRandom(seed);
    const history: SoakHistory = { attempts: [], endings: new Map(), violations: [], latencies: [] };
    const mix = createMix(createRandom(seed + 1));
    await reachAll(place);
    let number = 0;
    const capacitySeconds = Math.min(5, Math.max(2, count / 10));
    const capacity = await measureCapacity(
      async () => {
        const call = mix(number++);
        note(history, call, await sendCall(place, call));
      },
      { inFlight: CAPACITY_IN_FLIGHT, seconds: capacitySeconds },
    );
    const faults = createFaults({ place, random, history });
    await faults.rehearse();
    const before = await takeHoldings(place);
    const perSecond = Math.min(capacity * LOAD_SHARE, MAX_PER_SECOND);
    onProgress?.(`${Math.round(capacity)} calls per second are its capacity, ${Math.round(perSecond)} are sent`);

    const ending = new AbortController();
    const watching = watch(place, { onProgress, history, injected: () => sum(faults.injected) }, ending.signal);
    const breaking = breakThings(faults.injectOne, ending.signal);
    const from = number;
    const reported = await runOpenLoop(
      {
        plan: planArrivals({ random, perSecond, seconds: count, toCall: (planned) => mix(from + planned) }),
        send: (call) => sendCall(place, call),
        onFinished({ call, ending: outcome, latencyMs }) {
          note(history, call, outcome);
          history.latencies.push(latencyMs);
        },
      },
      signal,
    );
    ending.abort();
    await breaking;
    const { samples, looks } = await watching;
    onProgress?.("the load has ended, waiting for the servers");
    const recoveryMs = await reachAll(place);
    const after = await takeHoldings(place, before);
    await place.stdio.close();
    await place.http.close();
    const audit = await readWholeRecord(home, dist);
    const trend = reported.seconds < JUDGED_SECONDS ? undefined : toTrend(samples, looks);
    return {
      title: `half load with a fault every ${FAULT_EVERY_MS / 1000} s for ${Math.round(reported.seconds)} s`,
      n: reported.started,
      injected: sum(faults.injected),
      violations: [
        ...history.violations,
        ...audit.violations,
        ...findViolations({ home, attempts: history.attempts, audit: audit.records }),
        ...judgeHoldings(before, after),
        ...(trend === undefined ? [] : judgeTrend(trend)),
      ],
      gates: toGates(trend),
      figures: {
        "capacity, calls per second": Math.round(capacity),
        "offered per second": Math.round(perSecond),
        "max in flight": reported.maxInFlight,
        "keyed writes": history.attempts.length,
        "audit records": audit.records.length,
        ...describeHoldings(before, after),
        ...(trend === undefined ? {} : describeTrend(trend)),
        "highest memory of both, MiB": round(Math.max(...samples.map(({ rssMiB }) => rssMiB))),
        "recovery of all servers, ms": Math.round(recoveryMs),
        ...Object.fromEntries([...history.endings].map(([ending_, times]) => [`ended in ${ending_}`, times])),
        ...Object.fromEntries(faults.injected),
      },
      times: { of: "calls from their planned start", ms: history.latencies },
    };
  });
}

/** Milliseconds until every server has answered over both surfaces. */
async function reachAll(place: SoakPlace): Promise<number> {
  const from = performance.now();
  for (const server of SERVERS) {
    for (const gateway of [place.stdio, place.http]) {
      let last = "nothing";
      await waitFor(
        async () => {
          const outcome = await gateway.execute({ server, tool: "read", arguments: { id: "reach", silent: true } });
          last = describe(outcome);
          return outcome.kind === "answer";
        },
        `answer of ${server}`,
        RECOVERY_LIMIT_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)} The last was ${last}.`);
      });
    }
  }
  return performance.now() - from;
}

/** One fault at a time, at a fixed interval; the last one runs to its end. */
async function breakThings(injectOne: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const _ of ticks(FAULT_EVERY_MS, signal)) {
    const work: Promise<void> = injectOne().finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}

interface Watched {
  readonly onProgress: RowOptions["onProgress"];
  readonly history: SoakHistory;
  readonly injected: () => number;
}

interface Watching {
  readonly samples: readonly Sample[];
  readonly looks: readonly Look[];
}

async function watch(
  place: SoakPlace,
  { onProgress, history, injected }: Watched,
  signal: AbortSignal,
): Promise<Watching> {
  const samples: Sample[] = [];
  const looks: Look[] = [];
  const from = performance.now();
  let nextTold = TELL_EVERY_MS;
  let nextLook = LOOK_EVERY_MS;
  for await (const _ of ticks(SAMPLE_EVERY_MS, signal)) {
    const ms = performance.now() - from;
    const rssMiB = place.pids.reduce((all, pid) => all + inMiB(rssOf(pid)), 0);
    samples.push({ rssMiB, storeMiB: inMiB(storeBytesOf(place.home)) });
    if (ms >= nextLook) {
      nextLook += LOOK_EVERY_MS;
      looks.push(await lookAtBoth(place, ms));
    }
    if (ms < nextTold) continue;
    nextTold += TELL_EVERY_MS;
    const recent = history.latencies.slice(-2000);
    onProgress?.(
      `${Math.round(ms / 1000)} s: ${history.latencies.length} calls, ${injected()} faults, ${history.violations.length} violations, p99 ${Math.round(quantile(recent, 0.99))} ms, ${Math.round(rssMiB)} MiB, store ${inMiB(storeBytesOf(place.home))} MiB`,
    );
  }
  return { samples, looks };
}

async function lookAtBoth({ home, pids }: SoakPlace, ms: number): Promise<Look> {
  const both = await Promise.all(pids.map((pid) => lookInside(home, pid)));
  return {
    hours: ms / 3_600_000,
    liveMiB: both.reduce((all, { heapUsed, external }) => all + inMiB(heapUsed + external), 0),
    residentMiB: both.reduce((all, { rss }) => all + inMiB(rss), 0),
  };
}

async function* ticks(everyMs: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const timer = setTimeout(stop, everyMs);
      signal.addEventListener("abort", stop);
    });
    yield;
  }
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);
