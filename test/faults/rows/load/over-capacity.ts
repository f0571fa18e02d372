// Three times as many calls as a server can answer: the gateway rejects excess calls before it sends anything, and
// answers the rest at the maximum rate.
import { type HttpReply, type LoadGateway, openLoadGateway, toTokens } from "../../support/load-gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { stdioLoad } from "../../support/load-servers.js";
import { quantile, round } from "../../support/measure.js";
import { type Finished, measureCapacity, planArrivals, runOpenLoop } from "../../support/open-loop.js";
import { createRandom } from "../../support/random.js";
import type { Gate, RowOptions, RowResult } from "../../support/row.js";
import { judgeTime } from "../../support/timing.js";

const WORK_MS = 400;
const CAPACITY = { inFlight: 64, seconds: 6 };
const TIMES = 3;
const MIN_GOODPUT = 0.9;
const RECOVERY_LIMIT_MS = 5000;
const IDLE_CALLS = 10;

/** `count`: how many seconds the load lasts. */
export async function overCapacity({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    home.configure({ slow: stdioLoad(home, "slow") }, { http: { port: 0, tokens: toTokens() } });
    const gateway = await openLoadGateway(home, { dist });
    const call = (id: string): Promise<HttpReply> => callSlow(gateway, id);
    const idleMs = await measureIdle(call);
    const capacity = await measureCapacity((number) => call(`capacity-${number}`), CAPACITY);
    onProgress?.(`${Math.round(capacity)} calls per second are its capacity`);
    const finished: Finished<string, HttpReply>[] = [];
    const reported = await runOpenLoop({
      plan: planArrivals({ random, perSecond: TIMES * capacity, seconds: count, toCall: (number) => `over-${number}` }),
      send: call,
      onFinished: (one) => void finished.push(one),
    });
    const recoveryMs = await recover(call, idleMs);
    await gateway.close();
    const shed = finished.filter(({ ending }) => ending.status !== 200);
    const answered = finished.filter(({ ending }) => ending.status === 200);
    // Calls that were still queued when the load ended do not count for its rate.
    const inTime = answered.filter(({ atMs, latencyMs }) => atMs + latencyMs < count * 1000);
    const goodput = inTime.length / count / capacity;
    const violations = [
      ...judge(home, finished),
      ...(goodput < MIN_GOODPUT ? [`the goodput is ${round(goodput * 100)} % of the peak`] : []),
      ...(recoveryMs > RECOVERY_LIMIT_MS ? [`it takes ${round(recoveryMs / 1000)} s to recover`] : []),
      ...(shed.length === 0 ? ["no call was rejected"] : []),
    ];
    const goodputGate: Gate = {
      of: "answered calls as a share of the capacity",
      allowed: `at least ${MIN_GOODPUT * 100} %`,
      seen: `${round(goodput * 100)} %`,
      verdict: goodput >= MIN_GOODPUT ? "met" : "not met",
    };
    const { gate } = judgeTime({ of: "recovery", ms: [recoveryMs], gateMs: RECOVERY_LIMIT_MS, control: [] });
    return {
      title: "three times the capacity of a server",
      n: finished.length,
      injected: shed.length,
      violations,
      gates: [goodputGate, gate],
      figures: {
        seconds: count,
        "capacity, calls per second": round(capacity),
        "goodput, % of the peak": round(goodput * 100),
        refused: shed.length,
        "refusal, p99 ms": round(
          quantile(
            shed.map(({ latencyMs }) => latencyMs),
            0.99,
          ),
        ),
        "recovery, ms": Math.round(recoveryMs),
        "max in flight": reported.maxInFlight,
      },
      times: {
        of: "calls that were answered",
        ms: answered.map(({ latencyMs }) => latencyMs),
      },
    };
  });
}

function callSlow(gateway: LoadGateway, id: string): Promise<HttpReply> {
  return gateway.post("/api/adapters/slow/tools/read", { id, delay: WORK_MS });
}

async function measureIdle(call: (id: string) => Promise<HttpReply>): Promise<number> {
  const ms: number[] = [];
  for (let number = 0; number < IDLE_CALLS; number += 1) {
    const from = performance.now();
    await call(`idle-${number}`);
    ms.push(performance.now() - from);
  }
  return quantile(ms, 0.5);
}

/** Until a call is answered in less than twice the time of a call without load. */
async function recover(call: (id: string) => Promise<HttpReply>, idleMs: number): Promise<number> {
  const from = performance.now();
  for (let number = 0; performance.now() - from < 2 * RECOVERY_LIMIT_MS; number += 1) {
    const at = performance.now();
    const { status } = await call(`after-${number}`);
    if (status === 200 && performance.now() - at < 2 * idleMs) break;
  }
  return performance.now() - from;
}

function judge({ ledger }: FaultHome, finished: readonly Finished<string, HttpReply>[]): string[] {
  return finished.flatMap(({ call: id, ending: { status, headers, text } }) => {
    const sent = ledger.of(id, "call").length;
    if (status === 200) return sent === 1 ? [] : [`${id} was answered and sent ${sent} times`];
    const { code, executed } = JSON.parse(text) as { code?: string; executed?: string };
    return [
      ...(status === 503 && code === "OVERLOADED" && executed === "no"
        ? []
        : [`${id} was answered with ${status} ${text}`]),
      ...(Number(headers["retry-after"]) >= 1 ? [] : [`${id} has no Retry-After header`]),
      ...(sent === 0 ? [] : [`${id} was rejected but sent`]),
    ];
  });
}
