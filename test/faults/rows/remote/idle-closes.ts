// A server closes idle connections while the next call is being sent: the gateway does not send a call a second time on
// its own.
import type { Fault } from "../../support/chaosd.js";
import { createRandom, type Random } from "../../support/random.js";
import { inRemoteScene, judgeChange, type RemoteScene, type Way } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { ProxiedRequest } from "../../support/request-reader.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const IN_FLIGHT = 16;
const CLOSE_SHARE = 0.4;
const LONGEST_RACE_MS = 4;
/** Two MCP servers and one REST API: most calls use kept-alive connections. */
const CHANGED_BY: readonly Way[] = ["json", "events", "json", "events", "api"];

/** `count`: the number of calls. */
export async function idleCloses({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const closed = { atSend: 0, idle: 0 };
  const plan = (_: string, request: ProxiedRequest): Fault => {
    const fault = closeBy(random, request);
    if (fault.kind === "break") closed.atSend += 1;
    if (fault.kind === "close-idle") closed.idle += 1;
    return fault;
  };
  return await inRemoteScene({ dist, plan }, async (scene) => {
    const violations: string[] = [];
    const endings: Record<string, number> = {};
    const from = performance.now();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const id = `call-${next++}`;
        const outcome = await scene.change(random.pick(CHANGED_BY), id);
        const ending = describe(outcome);
        endings[ending] = (endings[ending] ?? 0) + 1;
        violations.push(...judgeChange(id, outcome, scene), ...judgeEnding(id, outcome));
        if (next % 5000 === 0) onProgress?.(`${next} of ${count} calls`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    const perSecond = Math.round(count / ((performance.now() - from) / 1000));
    if (closed.atSend === 0 || closed.idle === 0) violations.push("no connection was closed");
    return {
      title: "idle connections closed during the next call",
      n: count,
      injected: closed.atSend + closed.idle,
      violations,
      figures: {
        "closed at the first byte of a call": closed.atSend,
        "closed after an answer": closed.idle,
        connections: scene.chaos.connections(),
        ...countDoubles(scene),
        ...endings,
        "calls per second": perSecond,
      },
    };
  });
}

function closeBy(random: Random, { isReused }: ProxiedRequest): Fault {
  if (!random.chance(CLOSE_SHARE)) return { kind: "none" };
  const how = random.pick(["reset", "end"] as const);
  // A connection that was just opened is not idle.
  if (isReused && random.chance(0.5)) return { kind: "break", when: random.pick(["before", "after"] as const), how };
  return { kind: "close-idle", afterMs: random.between(0, LONGEST_RACE_MS), how };
}

/** Only the caller may decide on a retry: an interrupted call gets an unknown outcome. */
function judgeEnding(id: string, outcome: Parameters<typeof describe>[0]): string[] {
  if (outcome.kind === "answer") return [];
  const isRight = outcome.kind === "error" && outcome.code === "TOOL_EXECUTION_ERROR" && outcome.executed === "unknown";
  return isRight ? [] : [`${id}: answered with ${describe(outcome)}`];
}

function countDoubles({ remote }: RemoteScene): Record<string, number> {
  const done = [...remote.ledger.values()];
  return {
    doubles: done.filter(({ effects, calls }) => effects > 1 || calls > 1).length,
    effects: done.reduce((sum, { effects }) => sum + effects, 0),
  };
}
