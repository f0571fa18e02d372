// Gateways are killed repeatedly under load; clients repeat unanswered calls with the same key through another gateway.
import { readAudit, settleAudit } from "../../support/audit.js";
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type Attempt, countEndings, findViolations } from "../../support/history.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type PlannedCall, planCalls, withNumber } from "../../support/plan.js";
import { createRandom, type Random } from "../../support/random.js";
import { replayAnswered } from "../../support/replay-answered.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 2;
const IN_FLIGHT = 24;
const CALLS_PER_KILL = 36;
const FEWEST_BETWEEN_KILLS = 12;
const MAX_BETWEEN_KILLS = 30;
/** A new gateway starts its own stdio server, which takes longest: one call in six uses it. */
const SERVERS = ["stdio", "http", "http2", "http", "http2", "http"];
const MAX_TRIES = 200;
const RETRY_MS = 50;

interface Fleet {
  /** Any running gateway. */
  pick(): Promise<Gateway>;
  /** Kills one gateway and starts another in its place. */
  killOne(): void;
  readonly kills: number;
  readonly recoveriesMs: readonly number[];
  all(): Promise<readonly Gateway[]>;
  close(): Promise<void>;
}

/** `count`: how many gateways are killed. */
export async function gatewayKills({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    home.configure({ stdio: home.stdio("stdio"), http: await home.http("http"), http2: await home.http("http2") });
    const plan = planCalls(random, {
      calls: count * CALLS_PER_KILL,
      servers: SERVERS,
      crashShare: 0,
      repeatShare: 0.1,
      recent: 10,
      prefix: "kills",
    });
    const fleet = await openFleet(home, dist, random);
    const attempts = await drive(plan, { fleet, random, count, ...(onProgress ? { onProgress } : {}) });
    attempts.push(...(await replayAnswered(attempts, plan, await fleet.all())));
    await settleAudit(home);
    await fleet.close();
    const audit = await readAudit(home, dist);
    const violations = [...audit.violations, ...findViolations({ home, attempts, audit: audit.records, mayDie: true })];
    if (fleet.kills < count) violations.push(`only ${fleet.kills} of ${count} gateways were killed`);
    return {
      title: "gateways killed under load",
      n: attempts.length,
      injected: fleet.kills,
      violations,
      figures: {
        keys: new Set(attempts.map(({ id }) => id)).size,
        "recorded as unknown": audit.records.filter(({ outcome }) => outcome === "unknown").length,
        ...countEndings(attempts),
      },
      times: { of: "start of the replacement gateway", ms: fleet.recoveriesMs },
    };
  });
}

async function openFleet(home: FaultHome, dist: string, random: Random): Promise<Fleet> {
  const recoveriesMs: number[] = [];
  const gateways: Promise<Gateway>[] = [];
  for (let slot = 0; slot < GATEWAYS; slot += 1) {
    gateways.push(openGateway(home, { dist }));
    await gateways[slot];
  }
  const replace = async (old: Promise<Gateway>): Promise<Gateway> => {
    await (await old).kill();
    const from = performance.now();
    const next = await openGateway(home, { dist });
    recoveriesMs.push(performance.now() - from);
    return next;
  };
  let kills = 0;
  return {
    pick: () => random.pick(gateways),
    killOne() {
      const slot = random.between(0, GATEWAYS);
      gateways[slot] = replace(gateways[slot]!);
      kills += 1;
    },
    get kills() {
      return kills;
    },
    recoveriesMs,
    all: () => Promise.all(gateways),
    async close() {
      for (const gateway of gateways) await (await gateway).close();
    },
  };
}

interface Drive {
  readonly fleet: Fleet;
  readonly random: Random;
  readonly count: number;
  readonly onProgress?: (text: string) => void;
}

/** Concurrent clients, each with one call after the other; the number of answers decides when a gateway is killed. */
async function drive(plan: readonly PlannedCall[], { fleet, random, count, onProgress }: Drive): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const left = [...plan];
  let nextNumber = 0;
  let untilKill = random.between(FEWEST_BETWEEN_KILLS, MAX_BETWEEN_KILLS);
  const killWhenDue = (): void => {
    untilKill -= 1;
    if (untilKill > 0 || fleet.kills >= count) return;
    untilKill = random.between(FEWEST_BETWEEN_KILLS, MAX_BETWEEN_KILLS);
    fleet.killOne();
    onProgress?.(`${fleet.kills} of ${count} kills`);
  };
  const work = async (): Promise<void> => {
    for (let call = left.shift(); call !== undefined; call = left.shift()) {
      for (let tries = 0; ; tries += 1) {
        const number = nextNumber++;
        const outcome = await (await fleet.pick()).execute(withNumber(call.execution, number));
        attempts.push({ ...call, number, outcome });
        killWhenDue();
        if (!isWorthRetrying(outcome)) break;
        if (tries === MAX_TRIES) throw new Error(`${call.id} did not complete in ${MAX_TRIES} attempts.`);
        await later(outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return attempts;
}

function isWorthRetrying(outcome: Outcome): boolean {
  return outcome.kind === "died" || (outcome.kind === "error" && outcome.error["retryable"] === true);
}

/** Retries as a client would: at once after a gateway has exited, after a pause when the error asks for a later retry. */
async function later(outcome: Outcome): Promise<void> {
  if (outcome.kind !== "died") await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}
