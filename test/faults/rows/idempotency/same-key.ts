// Many callers use one key at the same time, through several gateways: one call runs, and the others get its answer or
// an error that says it is running.
import { writeFileSync } from "node:fs";
import { readAudit } from "../../support/audit.js";
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import { describe, toAnswer } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 4;
const PARALLEL = 100;

/** `count`: the number of rounds of a hundred calls. In every second round the server answers after all other calls have ended. */
export async function sameKey({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ stdio: home.stdio("stdio"), http: await home.http("http") });
    const random = createRandom(seed);
    const gateways: Gateway[] = [];
    for (let number = 0; number < GATEWAYS; number += 1) {
      gateways.push(await openGateway(home, { dist }));
      await gateways[number]!.execute({ server: "stdio", tool: "read", arguments: { id: `warm-${number}` } });
    }
    const violations: string[] = [];
    const reported = { replays: 0, "in progress": 0 };
    for (let round = 0; round < count; round += 1) {
      const server = random.pick(["stdio", "http"]);
      const outcomes = await runRound({ round, server, isHeld: round % 2 === 0, home, gateways });
      violations.push(...judge(round, outcomes, home));
      reported["in progress"] += outcomes.filter(isInProgress).length;
      reported.replays += outcomes.filter((one) => describe(one) === "a replay").length;
      if (round % 20 === 19) onProgress?.(`${round + 1} of ${count} rounds`);
    }
    for (const gateway of gateways) await gateway.close();
    violations.push(...(await readAudit(home, dist)).violations);
    const n = count * PARALLEL;
    return { title: "100 parallel calls with one key", n, injected: count, violations, figures: reported };
  });
}

interface Round {
  readonly round: number;
  readonly server: string;
  readonly isHeld: boolean;
  readonly home: FaultHome;
  readonly gateways: readonly Gateway[];
}

async function runRound({ round, server, isHeld, home, gateways }: Round): Promise<Outcome[]> {
  const id = idOf(round);
  const gate = home.path(`gate-${round}`);
  let ended = 0;
  const calls = Array.from({ length: PARALLEL }, async (_, index) => {
    const outcome = await gateways[index % gateways.length]!.execute({
      server,
      tool: "effect",
      arguments: { id, ...(isHeld ? { gate } : {}) },
      options: { idempotency_key: `key-${id}` },
    });
    ended += 1;
    if (ended === PARALLEL - 1) writeFileSync(gate, "");
    return outcome;
  });
  const outcomes = await Promise.all(calls);
  const strays = isHeld ? outcomes.filter(({ kind }) => kind === "answer").length - 1 : 0;
  if (strays !== 0) throw new Error(`${id}: ${strays} calls were answered before the first had ended`);
  return outcomes;
}

const idOf = (round: number): string => `same-${round}`;

function isInProgress(outcome: Outcome): boolean {
  return outcome.kind === "error" && outcome.code === "IDEMPOTENCY_IN_PROGRESS";
}

function judge(round: number, outcomes: readonly Outcome[], { ledger }: FaultHome): string[] {
  const id = idOf(round);
  const answers = outcomes.flatMap((one) => (one.kind === "answer" ? [toAnswer(one.result)] : []));
  const others = outcomes.filter((one) => one.kind !== "answer" && !isInProgress(one));
  const effects = ledger.of(id, "effect").length;
  const found = others.map((one) => `${id}: ${describe(one)}`);
  if (effects !== 1) found.push(`${id}: ${effects} effects`);
  if (answers.filter(({ replayOf }) => replayOf === undefined).length !== 1)
    found.push(`${id}: not exactly one first answer`);
  if (new Set(answers.map(({ text }) => text)).size !== 1) found.push(`${id}: the answers differ`);
  const isSilent = outcomes.some((one) => isInProgress(one) && one.kind === "error" && one.error["retryable"] !== true);
  if (isSilent) found.push(`${id}: the in-progress error is not marked as retryable`);
  return found;
}
