// Servers that answer with 500, 502, 503 and 429 and with every kind of Retry-After: few tries more, none of what changes something.
import { head } from "../../support/canned-answers.js";
import type { Fault } from "../../support/chaosd.js";
import { createRandom } from "../../support/random.js";
import { inRemoteScene, judgeChange, type RemoteScene, type Way, WAYS } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const STATUSES = [500, 502, 503, 429, 504] as const;
/** A tenth more, and what the division of whole numbers may be off. */
const MOST_AMPLIFIED = 1.1 + 1e-9;
/** A server that was hardly asked yet is lent the tries of so many calls. */
const FEWEST_CALLS = 20;
const IN_FLIGHT = 12;
/** No call is to wait longer than that for another try. */
const LONGEST_WAIT_MS = 10_000;
const LEEWAY_MS = 1_500;

/** What servers say of when to come again, and how many milliseconds that is. */
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

/** `count`: how many calls there are; half of them change something. */
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
        const what = `${id}, ${mine.status} with Retry-After ${mine.wait[0]}, told ${describe(outcome)}`;
        if (number % 2 === 0) violations.push(...judgeChange(id, outcome, scene));
        if (outcome.kind !== "error") violations.push(`${what}: no failure`);
        if (ms > 2 * LONGEST_WAIT_MS + LEEWAY_MS) violations.push(`${what} after ${Math.round(ms)} ms`);
        violations.push(...judgeWaits(what, mine));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    const amplified = Object.fromEntries(WAYS.map((way) => [way, amplification(scene, ids, way)]));
    for (const [way, times] of Object.entries(amplified)) {
      if (times > MOST_AMPLIFIED) violations.push(`${way} was asked ${times} times for one call`);
    }
    const tries = ids.reduce((sum, { id }) => sum + scene.seen(id), 0);
    return {
      title: "servers that fail and say when to come again",
      n: count,
      injected: tries,
      violations,
      figures: {
        "tries per call": round(tries / count),
        ...Object.fromEntries(
          Object.entries(amplified).map(([way, times]) => [`tries per call of ${way}`, round(times)]),
        ),
        "tries of calls that change": ids.filter(({ id }) => id.includes("change") && scene.seen(id) > 1).length,
      },
    };
  });
}

/** A server that names a time is not asked before it, and not at all when it is too far off. */
function judgeWaits(what: string, { wait: [, , ms], at }: Failing): string[] {
  return at.slice(1).flatMap((time, index) => {
    const waited = time - (at[index] ?? time);
    return waited >= ms ? [] : [`${what}: asked again after ${Math.round(waited)} ms`];
  });
}

/** The first call of each way, which warmed it up, is a call as well: its share of tries may be used by the others. */
const WARMED = 1;

function amplification(scene: RemoteScene, ids: readonly { way: Way; id: string }[], wanted: Way): number {
  const own = ids.filter(({ way }) => way === wanted);
  const tries = own.reduce((sum, { id }) => sum + scene.seen(id), WARMED);
  return tries / Math.max(FEWEST_CALLS, own.length + WARMED);
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
