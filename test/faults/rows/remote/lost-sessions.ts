// A server restarts and loses its sessions with 50 calls in flight: the gateway opens one new session, and each call
// runs once.
import { waitFor } from "../../support/deadline.js";
import { type RemoteCall, refuseSession } from "../../support/remote-server.js";
import { inRemoteScene, type RemoteScene, type Way } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const CALLS = 50;
/** The circuit breaker opens after more than five failures a minute: each gateway sees this many restarts of a server. */
const RESTARTS_EACH = 4;
const WAYS: readonly Way[] = ["json", "events"];

/** `count`: the number of restarts; every other one happens while no call is in flight. */
export async function lostSessions({ count, dist }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const times: number[] = [];
  const began = { max: 0 };
  for (let done = 0; done < count; done += RESTARTS_EACH) {
    const way = WAYS[(done / RESTARTS_EACH) % WAYS.length]!;
    await inServer(dist, async (scene, holding) => {
      for (let round = done; round < Math.min(count, done + RESTARTS_EACH); round += 1) {
        const held = round % 2 === 0 ? holding : undefined;
        const found = await restart(scene, { way, name: `restart-${round}`, holding: held });
        violations.push(...found.violations);
        times.push(found.ms);
        began.max = Math.max(began.max, found.began);
      }
    });
  }
  return {
    title: "servers that lose their sessions",
    n: count * CALLS,
    injected: count,
    violations,
    figures: { restarts: count, "calls each": CALLS, "max new sessions after a restart": began.max },
    times: { of: "from a restart to the answer of its last call", ms: times },
  };
}

/** Calls that are running at the server until it restarts. */
interface Holding {
  isOn: boolean;
  readonly calls: RemoteCall[];
}

async function inServer(dist: string, work: (scene: RemoteScene, holding: Holding) => Promise<void>): Promise<void> {
  const holding: Holding = { isOn: false, calls: [] };
  const onCall = (call: RemoteCall): boolean => {
    if (holding.isOn) holding.calls.push(call);
    return holding.isOn;
  };
  const config = { upstreams: { concurrency: CALLS, queue: CALLS } };
  await inRemoteScene({ dist, plan: () => ({ kind: "none" }), config, remote: { onCall } }, (scene) =>
    work(scene, holding),
  );
}

interface Restart {
  readonly way: Way;
  readonly name: string;
  readonly holding: Holding | undefined;
}

async function restart(scene: RemoteScene, { way, name, holding }: Restart) {
  const before = scene.remote.initialized();
  const ids = Array.from({ length: CALLS }, (_, number) => `${name}-${number}`);
  if (holding === undefined) scene.remote.forgetSessions();
  else holding.isOn = true;
  const calls = ids.map((id) => scene.change(way, id));
  if (holding !== undefined) await waitFor(() => holding.calls.length === CALLS, "fifty calls in flight");
  const from = performance.now();
  if (holding !== undefined) {
    holding.isOn = false;
    scene.remote.forgetSessions();
    for (const { response } of holding.calls.splice(0)) refuseSession(response);
  }
  const outcomes = await Promise.all(calls);
  const ms = performance.now() - from;
  const began = scene.remote.initialized() - before;
  const violations = ids.flatMap((id, index) => {
    const outcome = outcomes[index]!;
    const { effects } = scene.remote.of(id);
    // A call that was still being recorded goes to the new session at once.
    const isOnce = holding === undefined ? scene.seen(id) <= 2 : scene.seen(id) === 2;
    if (outcome.kind === "answer" && effects === 1 && isOnce) return [];
    return [`${id}: ${describe(outcome)}, sent ${scene.seen(id)} times, ${effects} effects`];
  });
  if (began !== 1) violations.push(`${name}: ${began} new sessions`);
  return { violations, ms, began };
}
