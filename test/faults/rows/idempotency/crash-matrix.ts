// A gateway is killed at each failpoint of a call, another gateway starts with the same home folder, and the client
// repeats the call with its key.
import { readAudit, settleAudit } from "../../support/audit.js";
import { type Execution, type Gateway, type Outcome, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe, toAnswer } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const POINTS = ["F1", "F2", "F3", "F4", "F5", "F6", "F7"] as const;
type Point = (typeof POINTS)[number];

/** Where the gateway kills itself. In F4 and F7 it is killed from outside: after the effect, or after the answer. */
const FAILPOINTS: Partial<Record<Point, string>> = {
  F1: "call.before_reserve",
  F2: "call.after_reserve",
  F3: "call.after_dispatch",
  F5: "call.after_answer",
  F6: "call.after_record",
};

interface Cell {
  readonly point: Point;
  readonly tool: "effect" | "idempotent_effect";
  readonly server: "stdio" | "http";
}

interface Scene extends Cell {
  readonly id: string;
  readonly execution: Execution;
  first?: Outcome;
}

/** The expected outcome of a cell: what the retry returns, and what the server has done in the end. */
interface Expectation {
  readonly retry: "runs" | "unknown" | "replays";
  readonly calls: number;
  readonly effects: number;
}

function expectationOf({ point, tool }: Cell): Expectation {
  const isIdempotent = tool === "idempotent_effect";
  switch (point) {
    case "F1":
    case "F2":
      return { retry: "runs", calls: 1, effects: 1 };
    case "F3":
      return isIdempotent ? { retry: "runs", calls: 1, effects: 1 } : { retry: "unknown", calls: 0, effects: 0 };
    case "F4":
    case "F5":
      return isIdempotent ? { retry: "runs", calls: 2, effects: 1 } : { retry: "unknown", calls: 1, effects: 1 };
    case "F6":
    case "F7":
      return { retry: "replays", calls: 1, effects: 1 };
  }
}

const CELLS: readonly Cell[] = POINTS.flatMap((point) =>
  (["effect", "idempotent_effect"] as const).flatMap((tool) =>
    (["stdio", "http"] as const).map((server) => ({ point, tool, server })),
  ),
);
const AT_ONCE = 3;

/** `count`: how often the whole matrix runs. */
export async function crashMatrix({ count, seed, dist, failpoints, onProgress }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  let recoveryMs = 0;
  await inHome(async (home) => {
    home.configure({ stdio: home.stdio("stdio"), http: await home.http("http") });
    const random = createRandom(seed);
    await warmUp(home, dist);
    for (let round = 0; round < count; round += 1) {
      const scenes = random.shuffle(CELLS).map((cell) => toScene(cell, round));
      violations.push(...(await killAll(scenes, home, failpoints)));
      const from = performance.now();
      const next = await openGateway(home, { dist });
      recoveryMs = Math.max(recoveryMs, performance.now() - from);
      violations.push(...(await retryAll(scenes, { home, gateway: next, random })));
      await settleAudit(home);
      await next.close();
      onProgress?.(`${(round + 1) * CELLS.length} of ${count * CELLS.length} kills`);
    }
    violations.push(...(await readAudit(home, dist)).violations);
  });
  const n = count * CELLS.length;
  const figures = { "slowest start after kills, ms": Math.round(recoveryMs) };
  return { title: "crash matrix F1 to F7", n, injected: n, violations, figures };
}

function toScene(cell: Cell, round: number): Scene {
  const id = `${cell.point}-${cell.tool}-${cell.server}-${round}`;
  const mode = cell.point === "F4" ? { mode: "hang" } : {};
  return {
    ...cell,
    id,
    execution: {
      server: cell.server,
      tool: cell.tool,
      arguments: { id, ...mode },
      options: { idempotency_key: `key-${id}` },
    },
  };
}

/** So that no case waits for the first list of the servers. */
async function warmUp(home: FaultHome, dist: string): Promise<void> {
  const gateway = await openGateway(home, { dist });
  for (const server of ["stdio", "http"]) {
    const outcome = await gateway.execute({ server, tool: "read", arguments: { id: `warm-${server}` } });
    if (outcome.kind !== "answer") throw new Error(`The first call ended in ${describe(outcome)}.`);
  }
  await gateway.close();
}

async function killAll(scenes: readonly Scene[], home: FaultHome, dist: string): Promise<string[]> {
  const violations: string[] = [];
  const left = scenes.filter(({ point }) => FAILPOINTS[point] !== undefined);
  const work = async (): Promise<void> => {
    for (let scene = left.shift(); scene !== undefined; scene = left.shift()) {
      const first = await killItself(scene, home, dist);
      if (first.kind !== "died") violations.push(`${scene.id}: the first call ended in ${describe(first)}`);
    }
  };
  const outside = scenes.filter(({ point }) => FAILPOINTS[point] === undefined);
  await Promise.all([
    killFromOutside(outside, home, dist).then((found) => violations.push(...found)),
    ...Array.from({ length: AT_ONCE }, work),
  ]);
  return violations;
}

async function killItself({ point, execution }: Scene, home: FaultHome, dist: string): Promise<Outcome> {
  const gateway = await openGateway(home, { dist, failpoint: `${FAILPOINTS[point]}:kill` });
  const outcome = await gateway.execute(execution);
  await gateway.kill();
  return outcome;
}

/** One gateway, killed when every effect is done and every expected answer has arrived. */
async function killFromOutside(scenes: readonly Scene[], home: FaultHome, dist: string): Promise<string[]> {
  const gateway = await openGateway(home, { dist });
  const firsts = scenes.map(({ execution }) => gateway.execute(execution));
  for (const [index, scene] of scenes.entries()) {
    if (scene.point === "F7") scene.first = await firsts[index]!;
    else await home.ledger.waitFor(scene.id, "effect");
  }
  await gateway.kill();
  const outcomes = await Promise.all(firsts);
  return scenes.flatMap(({ id, point }, index) => {
    const first = outcomes[index]!;
    const isRight = first.kind === (point === "F7" ? "answer" : "died");
    return isRight ? [] : [`${id}: the first call ended in ${describe(first)}`];
  });
}

interface Retry {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly random: Random;
}

async function retryAll(scenes: readonly Scene[], { home, gateway, random }: Retry): Promise<string[]> {
  const found = await Promise.all(
    random.shuffle(scenes).map(async (scene) => {
      const retry = await gateway.execute(scene.execution);
      // A call that must not run again does not run at the third attempt either.
      const again = await gateway.execute(scene.execution);
      return [...judge(scene, retry, home), ...judgeAgain(scene, retry, again), ...judgeLedger(scene, home)];
    }),
  );
  return found.flat();
}

function judge(scene: Scene, retry: Outcome, home: FaultHome): string[] {
  const { retry: expected } = expectationOf(scene);
  const got = `${scene.id}: the retry ended in ${describe(retry)}`;
  if (expected === "unknown") {
    return retry.kind === "error" && retry.code === "IDEMPOTENCY_OUTCOME_UNKNOWN" ? [] : [got];
  }
  if (retry.kind !== "answer") return [got];
  const { text, replayOf } = toAnswer(retry.result);
  if ((replayOf !== undefined) !== (expected === "replays")) return [got];
  const given = home.ledger.of(scene.id, "answer").at(-1)?.result;
  return text === given
    ? []
    : [`${scene.id}: the answer differs from the server's answer: ${text} instead of ${given}`];
}

function judgeAgain(scene: Scene, retry: Outcome, again: Outcome): string[] {
  const got = `${scene.id}: the third attempt ended in ${describe(again)}`;
  if (retry.kind === "error") return again.kind === "error" && again.code === retry.code ? [] : [got];
  if (retry.kind !== "answer") return [];
  if (again.kind !== "answer" || toAnswer(again.result).replayOf === undefined) return [got];
  const isSame = toAnswer(again.result).text === toAnswer(retry.result).text;
  const first = scene.first?.kind === "answer" ? toAnswer(scene.first.result).text : toAnswer(retry.result).text;
  return isSame && first === toAnswer(retry.result).text ? [] : [`${scene.id}: two answers to one call differ`];
}

function judgeLedger(scene: Scene, { ledger }: FaultHome): string[] {
  const { calls, effects } = expectationOf(scene);
  const made = ledger.of(scene.id, "call").length;
  const done = ledger.of(scene.id, "effect").length;
  if (made === calls && done === effects) return [];
  return [`${scene.id}: the server received ${made} calls and had ${done} effects, expected ${calls} and ${effects}`];
}
