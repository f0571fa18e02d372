// Many calls through four gateways with a shared store, some with the same key, while servers crash before and after
// side effects.
import { readAudit, settleAudit } from "../../support/audit.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type Attempt, countEndings, findViolations } from "../../support/history.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type PlannedCall, planCalls } from "../../support/plan.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import { replayAnswered } from "../../support/replay-answered.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 4;
const MAX_IN_FLIGHT = 500;
/** Of calls that are not repetitions; without those that are not sent, one in twenty of all calls. */
const CRASH_SHARE = 0.085;
const REPEAT_SHARE = 0.3;
const BURST = 500;
/** The circuit breaker opens after more than five crashes a minute: crashes come in separate bursts on many servers. */
const BURST_EVERY_MS = 12_000;
const BURST_LASTS_MS = 500;
const MAX_STDIO_SERVERS = 8;

/** `count`: the number of calls. */
export async function sharedStoreLoad({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const servers = await configureServers(home, Math.min(MAX_STDIO_SERVERS, 1 + Math.ceil(count / 500)));
    const plan = planCalls(random, {
      calls: count,
      servers,
      crashShare: CRASH_SHARE,
      repeatShare: REPEAT_SHARE,
      recent: 20,
      prefix: "load",
    });
    const gateways = await openGateways(home, dist, servers);
    const from = performance.now();
    const { attempts, maxInFlight } = await drive(plan, { gateways, random, ...(onProgress ? { onProgress } : {}) });
    const seconds = (performance.now() - from) / 1000;
    attempts.push(...(await replayAnswered(attempts, plan, gateways)));
    await settleAudit(home);
    for (const gateway of gateways) await gateway.close();
    const audit = await readAudit(home, dist);
    const crashes = countCrashes(home);
    return {
      title: "calls through four gateways with a shared store while servers crash",
      n: attempts.length,
      injected: crashes,
      violations: [...audit.violations, ...findViolations({ home, attempts, audit: audit.records })],
      figures: {
        seconds: Math.round(seconds),
        "max in flight": maxInFlight,
        keys: new Set(attempts.map(({ id }) => id)).size,
        "crashes of servers": crashes,
        "sent to servers": home.ledger.entries().filter(({ kind }) => kind === "call").length,
        "audit records": audit.records.length,
        ...countEndings(attempts),
      },
    };
  });
}

async function configureServers(home: FaultHome, stdioServers: number): Promise<string[]> {
  const servers: Record<string, object> = {};
  for (let number = 0; number < stdioServers; number += 1) servers[`stdio${number}`] = home.stdio(`stdio${number}`);
  const httpServers = Math.ceil(stdioServers / 2);
  for (let number = 0; number < httpServers; number += 1) servers[`http${number}`] = await home.http(`http${number}`);
  home.configure(servers);
  return Object.keys(servers);
}

/** The first gateway lists the tools of the servers; the others read the list from the store. */
async function openGateways(home: FaultHome, dist: string, servers: readonly string[]): Promise<Gateway[]> {
  const gateways: Gateway[] = [];
  for (let number = 0; number < GATEWAYS; number += 1) {
    const gateway = await openGateway(home, { dist });
    gateways.push(gateway);
    for (const server of servers) {
      const outcome = await gateway.execute({ server, tool: "read", arguments: { id: `warm-${number}-${server}` } });
      if (outcome.kind !== "answer") throw new Error(`The first call of ${server} ended in ${describe(outcome)}.`);
    }
  }
  return gateways;
}

interface Drive {
  readonly gateways: readonly Gateway[];
  readonly random: Random;
  readonly onProgress?: (text: string) => void;
}

/** Calls start on schedule, whether or not earlier calls have finished; they wait only at the limit of calls in flight. */
async function drive(plan: readonly PlannedCall[], { gateways, random, onProgress }: Drive) {
  const attempts: Attempt[] = [];
  const running = new Set<Promise<void>>();
  let maxInFlight = 0;
  const from = performance.now();
  for (const call of plan) {
    const at = Math.floor(call.number / BURST) * BURST_EVERY_MS + random.next() * BURST_LASTS_MS;
    const gateway = random.pick(gateways);
    await due(from + at);
    while (running.size >= MAX_IN_FLIGHT) await Promise.race(running);
    const work = gateway.execute(call.execution).then((outcome) => {
      attempts.push({ ...call, outcome });
      if (attempts.length % 1000 === 0) onProgress?.(`${attempts.length} of ${plan.length} calls`);
    });
    const tracked: Promise<void> = work.finally(() => running.delete(tracked));
    running.add(tracked);
    maxInFlight = Math.max(maxInFlight, running.size);
  }
  await Promise.all(running);
  return { attempts, maxInFlight };
}

function due(at: number): Promise<void> {
  const left = at - performance.now();
  return left <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, left));
}

function countCrashes({ ledger }: FaultHome): number {
  const crashed = ledger.entries().filter(({ kind, args }) => kind === "call" && "mode" in (args ?? {}));
  return new Set(crashed.map(({ id }) => id)).size;
}
