// Connections are reset or closed before the server receives a call, after it has executed it, and in the middle of its
// response.
import type { Fault } from "../../support/chaosd.js";
import { createRandom, type Random } from "../../support/random.js";
import { inRemoteScene, judgeChange, type RemoteScene, WAYS } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime } from "../../support/timing.js";

const IN_FLIGHT = 8;
const LIMIT_MS = 250;
/** A busy machine delays everything; a call without a fault shows by how much. */
const TIMES_CONTROL = 4;
/** Share of calls without a fault. */
const CONTROL_SHARE = 0.25;

type Break = Extract<Fault, { kind: "break" }>;

/** `count`: the number of calls. */
export async function brokenConnections({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const faults = new Map<string, Break>();
  const brokenAt = new Map<string, number>();
  const plan = (id: string): Fault => {
    brokenAt.set(id, performance.now());
    return faults.get(id) ?? { kind: "none" };
  };
  return await inRemoteScene({ dist, plan }, async (scene) => {
    const violations: string[] = [];
    const slow: { readonly id: string; readonly ms: number }[] = [];
    const controls: number[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const id = `call-${next++}`;
        const way = random.pick(WAYS);
        const fault = random.chance(CONTROL_SHARE) ? undefined : breakBy(random);
        if (fault !== undefined) faults.set(id, fault);
        const outcome = await scene.change(way, id);
        const ms = performance.now() - (brokenAt.get(id) ?? Number.NaN);
        if (fault === undefined) controls.push(ms);
        else slow.push({ id: `${id} of ${way}, ${fault.how} ${fault.when}`, ms });
        violations.push(...judgeChange(id, outcome, scene), ...judgeBreak(id, { outcome, fault, scene }));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    const limit = Math.max(LIMIT_MS, TIMES_CONTROL * Math.max(...controls));
    violations.push(...slow.filter(({ ms }) => !(ms <= limit)).map(({ id, ms }) => `${id}: answered after ${ms} ms`));
    const ms = slow.map((one) => one.ms);
    const { gate } = judgeTime({
      of: "from the break to the error at the caller",
      ms,
      gateMs: LIMIT_MS,
      control: controls,
    });
    return {
      title: "broken connections",
      n: count,
      injected: faults.size,
      violations,
      gates: [gate],
      figures: {
        "max effects of one call": Math.max(...[...scene.remote.ledger.values()].map(({ effects }) => effects)),
        "slowest call without a fault, ms": Math.round(Math.max(...controls)),
        "after 250 ms": slow.filter(({ ms }) => ms > LIMIT_MS).length,
      },
      times: { of: "from the break to the error at the caller", ms },
    };
  });
}

function breakBy(random: Random): Break {
  const when = random.pick(["before", "after", "within"] as const);
  return { kind: "break", when, how: random.pick(["reset", "end"] as const), share: random.next() };
}

interface Broken {
  readonly outcome: Parameters<typeof describe>[0];
  readonly fault: Break | undefined;
  readonly scene: RemoteScene;
}

/** A call on a broken connection gets an unknown outcome unless its answer had arrived; any other call gets its answer. */
function judgeBreak(id: string, { outcome, fault, scene }: Broken): string[] {
  const { effects } = scene.remote.of(id);
  const reported = describe(outcome);
  if (fault === undefined) return outcome.kind === "answer" ? [] : [`${id}: had no fault but got ${reported}`];
  if ((fault.when === "before") !== (effects === 0)) return [`${id}: broken ${fault.when}, with ${effects} effects`];
  if (outcome.kind === "answer") return fault.when === "within" ? [] : [`${id}: an answer that the server never sent`];
  const isRight = outcome.kind === "error" && outcome.code === "TOOL_EXECUTION_ERROR" && outcome.executed === "unknown";
  return isRight ? [] : [`${id}: broken ${fault.when}, answered with ${reported}`];
}
