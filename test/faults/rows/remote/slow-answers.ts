// Servers respond one byte at a time, with SSE comments only, or never: every call ends at its timeout, and not before.
import { EVENTS, head, JSON_TYPE, progressTokenOf, sayEvery } from "../../support/canned-answers.js";
import type { Fault } from "../../support/chaosd.js";
import type { Outcome } from "../../support/gateway.js";
import { inRemoteScene, judgeChange, type RemoteScene, type Way, WAYS } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { ProxiedRequest } from "../../support/request-reader.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeFigure } from "../../support/timing.js";

const SILENCE_MS = 2_000;
const WHOLE_MS = 3_000;
const SHARE_OFF = 0.1;
const EVERY_MS = 100;
/** So that the machine does not process all of them at once. */
const APART_MS = 10;

interface Slowness {
  readonly limitMs: number;
  readonly fault: (request: ProxiedRequest) => Fault;
}

const withHead =
  (headers: Readonly<Record<string, string>>, text?: (request: ProxiedRequest) => string): Slowness["fault"] =>
  (request) => ({
    kind: "answer",
    write(socket) {
      socket.write(head(200, headers));
      if (text !== undefined) sayEvery(socket, EVERY_MS, () => text(request));
    },
  });

const progress = (request: ProxiedRequest): string => {
  const params = `{"progressToken":${progressTokenOf(request)},"progress":${Math.round(performance.now())}}`;
  return `data: {"jsonrpc":"2.0","method":"notifications/progress","params":${params}}\n\n`;
};

const SLOW: Readonly<Record<string, Slowness>> = {
  "no headers": { limitMs: SILENCE_MS, fault: () => ({ kind: "silence" }) },
  "headers and no body": { limitMs: SILENCE_MS, fault: withHead(JSON_TYPE) },
  "an empty stream": { limitMs: SILENCE_MS, fault: withHead(EVENTS) },
  "a byte at a time": { limitMs: SILENCE_MS, fault: () => ({ kind: "drip", everyMs: EVERY_MS }) },
  "endless comments": { limitMs: SILENCE_MS, fault: withHead(EVENTS, () => ": still here\n\n") },
  "endless progress": { limitMs: WHOLE_MS, fault: withHead(EVENTS, progress) },
};

const sentAt = new Map<string, number>();

/** `count`: the number of calls of each kind on each connection. */
export async function slowAnswers({ count, dist }: RowOptions): Promise<RowResult> {
  const slowness = new Map<string, Slowness>();
  const plan = (id: string, request: ProxiedRequest): Fault => {
    // The time limit of a call starts when it is sent.
    sentAt.set(id, performance.now());
    return slowness.get(id)?.fault(request) ?? { kind: "none" };
  };
  const config = {
    execution: { timeoutMs: SILENCE_MS, maxTotalMs: WHOLE_MS },
    upstreams: { concurrency: 500, queue: 500 },
  };
  return await inRemoteScene({ dist, plan, config }, async (scene) => {
    const cases = Object.keys(SLOW).flatMap((name) =>
      WAYS.flatMap((way) => Array.from({ length: count }, (_, number) => ({ name, way, number }))),
    );
    const control = startControl(scene);
    const ended = await Promise.all(
      cases.map(async ({ name, way, number }, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * APART_MS));
        const id = `${name.replaceAll(" ", "-")}-${way}-${number}`;
        const slow = SLOW[name] as Slowness;
        slowness.set(id, slow);
        return { id, limitMs: slow.limitMs, ...(await timed(scene, way, id)) };
      }),
    );
    ended.push(...(await cutOff(scene, count)));
    const slowest = await control.stop();
    const violations = ended.flatMap(({ id, limitMs, ms, wholeMs, outcome }) => [
      ...judgeChange(id, outcome, scene),
      ...judgeTime(`${id}: ${describe(outcome)}`, outcome, { limitMs, ms, wholeMs, lateMs: slowest }),
    ]);
    violations.push(...(await judgeAfterwards(scene)));
    const late = ended.map(({ ms, limitMs }) => ms - limitMs);
    const off = Math.max(...ended.map(({ ms, limitMs }) => Math.abs(ms - limitMs) / limitMs));
    const { gate } = judgeFigure({
      of: "largest difference between a call and its timeout",
      seen: off * 100,
      max: SHARE_OFF * 100,
      beyond: Number.POSITIVE_INFINITY,
      unit: "%",
    });
    return {
      title: "slow or missing responses",
      n: ended.length,
      injected: ended.length,
      violations,
      gates: [gate],
      figures: {
        "idle timeout, ms": SILENCE_MS,
        "total timeout, ms": WHOLE_MS,
        "within 10 % of the limit": `${ended.filter(({ ms, limitMs }) => Math.abs(ms - limitMs) <= SHARE_OFF * limitMs).length} of ${ended.length}`,
        "slowest call without a fault, ms": Math.round(slowest),
      },
      times: { of: "calls, time beyond their timeout", ms: late },
    };
  });
}

interface Ended {
  readonly outcome: Outcome;
  /** Since the request was seen on the wire, which is not before it was sent. */
  readonly ms: number;
  /** Since the call was made, which is not after that. */
  readonly wholeMs: number;
}

async function timed(scene: RemoteScene, way: Way, id: string): Promise<Ended> {
  const from = performance.now();
  const outcome = await scene.change(way, id);
  const to = performance.now();
  return { outcome, ms: to - (sentAt.get(id) ?? from), wholeMs: to - from };
}

/** Cuts the network while connections are open, as when a cable is pulled, and then restores it. */
async function cutOff(scene: RemoteScene, count: number) {
  scene.chaos.partition();
  const cases = WAYS.flatMap((way) =>
    Array.from({ length: count }, (_, number) => ({ way, id: `cut-${way}-${number}` })),
  );
  const ended = await Promise.all(
    cases.map(async ({ way, id }, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * APART_MS));
      return { id, limitMs: SILENCE_MS, ...(await timed(scene, way, id)) };
    }),
  );
  scene.chaos.heal();
  return ended;
}

/** Calls without a fault, one after the other: they show how slow the machine is. */
function startControl({ look, chaos }: RemoteScene): { stop(): Promise<number> } {
  let slowest = 0;
  const over = new AbortController();
  const running = (async () => {
    for (let number = 0; !over.signal.aborted; number += 1) {
      const from = performance.now();
      await look("json", `warm-control-${number}`);
      const ms = performance.now() - from;
      // While the network is cut, healthy calls wait as well.
      if (ms < SILENCE_MS) slowest = Math.max(slowest, ms);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  return {
    async stop() {
      over.abort();
      chaos.heal();
      await running;
      return slowest;
    },
  };
}

interface Timing extends Pick<Ended, "ms" | "wholeMs"> {
  readonly limitMs: number;
  readonly lateMs: number;
}

function judgeTime(what: string, outcome: Outcome, { limitMs, ms, wholeMs, lateMs }: Timing): string[] {
  const found: string[] = [];
  const isRight =
    outcome.kind === "error" && outcome.code === "TOOL_EXECUTION_TIMEOUT" && outcome.executed === "unknown";
  if (!isRight) found.push(`${what} instead of a timeout`);
  if (wholeMs < limitMs * (1 - SHARE_OFF) || ms > limitMs * (1 + SHARE_OFF) + lateMs)
    found.push(`${what} after ${Math.round(ms)} to ${Math.round(wholeMs)} ms, limit ${limitMs}`);
  return found;
}

/** After the faults the next call gets its answer. */
async function judgeAfterwards(scene: RemoteScene): Promise<string[]> {
  const found = await Promise.all(
    WAYS.map(async (way) => {
      const outcome = await scene.look(way, `warm-after-${way}`);
      return outcome.kind === "answer" ? [] : [`${way} afterwards: ${describe(outcome)}`];
    }),
  );
  return found.flat();
}
