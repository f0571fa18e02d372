// Servers respond with 500, 502, 503 and 429 and with every form of Retry-After: the gateway makes few retries, and none
// of calls that change something.
import { head } from "../../support/canned-answers.js";
import type { Fault } from "../../support/chaosd.js";
import { createRandom } from "../../support/random.js";
import { inRemoteScene, judgeChange, type RemoteScene, type Way, WAYS } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const STATUSES = [500, 502, 503, 429, 504] as const;
/** A tenth more, plus the rounding of integers. */
const MAX_AMPLIFIED = 1.1 + 1e-9;
/** A server with few calls so far has a retry budget of this many calls. */
const FEWEST_CALLS = 20;
const IN_FLIGHT = 12;
/** The longest wait of a call before a retry. */
const LONGEST_WAIT_MS = 10_000;
const LEEWAY_MS = 1_500;

/** Values of Retry-After, with their meaning in milliseconds. */
const WAITS: readonly (readonly [string, () => string, number])[] = [
  ["nothing", () => "", 0],
  ["0", () => "0", 0],
  ["1", () => "1", 1000],
  ["1e9", () => "1000000000", Number.POSITIVE_INFINITY],
  ["a date in a second", () => new Date(Date.now() + 1000).toUTCString(), 0],
  ["a date in a year", () => new Date(Date.now() + 31_536_000_000).toUTCString(), Number.POSITIVE_INFINITY],
  ["a date in the past", () => new Date(0).toUTCString(), 0],
  ["nonsense", () => "soon", 0],
];

interface Failing {
  readonly status: number;
  readonly wait: (typeof WAITS)[number];
  readonly at: number[];
}

/** `count`: the number of calls; half of them have side effects. */
export async function failingStatuses({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const failing = new Map<string, Failing>();
  const plan = (id: string): Fault => {
    const { status, wait, at } = failing.get(id) as Failing;
    at.push(performance.now());
    const said = wait[1]();
    const headers = { "content-length": "0", ...(said === "" ? {} : { "retry-after": said }) };
    return { kind: "answer", write: (socket) => void socket.write(head(status, headers)) };
  };
  return await inRemoteScene({ dist, plan }, async (scene) => {
    const violations: string[] = [];
    const ids: { readonly way: Way; readonly id: string }[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const number = next++;
        const way = random.pick(WAYS);
        const id = `${way}-${number % 2 === 0 ? "change" : "look"}-${number}`;
        const mine: Failing = { status: random.pick(STATUSES), wait: random.pick(WAITS), at: [] };
        failing.set(id, mine);
        ids.push({ way, id });
        const from = performance.now();
        const outcome = await (number % 2 === 0 ? scene.change : scene.look)(way, id);
        const ms = performance.now() - from;
        const what = `${id}, ${mine.status} with Retry-After ${mine.wait[0]}, reported ${describe(outcome)}`;
        if (number % 2 === 0) violations.push(...judgeChange(id, outcome, scene));
        if (outcome.kind !== "error") violations.push(`${what}: no failure`);
        if (ms > 2 * LONGEST_WAIT_MS + LEEWAY_MS) violations.push(`${what} after ${Math.round(ms)} ms`);
        violations.push(...judgeWaits(what, mine));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    const amplified = Object.fromEntries(WAYS.map((way) => [way, amplification(scene, ids, way)]));
    for (const [way, times] of Object.entries(amplified)) {
      if (times > MAX_AMPLIFIED) violations.push(`${way} received ${times} requests per call`);
    }
    const tries = ids.reduce((sum, { id }) => sum + scene.seen(id), 0);
    return {
      title: "error statuses with Retry-After",
      n: count,
      injected: tries,
      violations,
      figures: {
        "requests per call": round(tries / count),
        ...Object.fromEntries(
          Object.entries(amplified).map(([way, times]) => [`requests per call of ${way}`, round(times)]),
        ),
        "retried calls with side effects": ids.filter(({ id }) => id.includes("change") && scene.seen(id) > 1).length,
      },
    };
  });
}

/** The gateway does not retry before the time in Retry-After, and not at all if it is too far away. */
function judgeWaits(what: string, { wait: [, , ms], at }: Failing): string[] {
  return at.slice(1).flatMap((time, index) => {
    const waited = time - (at[index] ?? time);
    return waited >= ms ? [] : [`${what}: retried after ${Math.round(waited)} ms`];
  });
}

/** The warm-up call of each connection counts for the retry budget too. */
const WARMED = 1;

function amplification(scene: RemoteScene, ids: readonly { way: Way; id: string }[], wanted: Way): number {
  const own = ids.filter(({ way }) => way === wanted);
  const tries = own.reduce((sum, { id }) => sum + scene.seen(id), WARMED);
  return tries / Math.max(FEWEST_CALLS, own.length + WARMED);
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
