// Four gateways share a rate limit of 100 calls: at most 100 calls run.
import { readAudit } from "../../support/audit.js";
import { type Execution, type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { withClock } from "../../support/moved-clock.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 4;
const LIMIT = 100;
/** The clocks of the gateways differ: an hour ahead, an hour back, half an hour ahead. */
const CLOCKS_MS = [0, 3_600_000, -3_600_000, 1_800_000];
/** Longer than the row lasts, so that the bucket is not refilled. */
const PER_SECONDS = 600;
const FREE = 20;

/** `count`: how many calls are sent at once. */
export async function rateBucket({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const limit = Math.min(LIMIT, Math.floor(count / 2));
    home.configure(
      { stdio: home.stdio("stdio"), http: await home.http("http") },
      {
        policy: {
          buckets: { few: { calls: limit, perSeconds: PER_SECONDS } },
          rateLimits: [{ tools: "effect", rate_limit_bucket: "few" }],
        },
        upstreams: { queue: 1000 },
      },
    );
    const random = createRandom(seed);
    const gateways: Gateway[] = [];
    for (let number = 0; number < GATEWAYS; number += 1) {
      gateways.push(await openGateway(withClock(home, CLOCKS_MS[number]!), { dist }));
      await gateways[number]!.execute({ server: "stdio", tool: "read", arguments: { id: `warm-${number}` } });
    }
    const violations: string[] = [];
    const run = (execution: Execution): Promise<Outcome> => random.pick(gateways).execute(execution);
    const repeat = (times: number, execution: Execution): Promise<Outcome[]> =>
      Promise.all(Array.from({ length: times }, () => run(execution)));

    const kept = toCall("stdio", "rate-kept");
    const first = await run(kept);
    if (first.kind !== "answer") violations.push(`the first call ended in ${describe(first)}`);
    const invalid = await repeat(FREE, { server: "stdio", tool: "effect", arguments: { id: true } });
    const dry = await repeat(FREE, { ...toCall("stdio", "rate-dry"), options: { dry_run: true } });
    const replays = await repeat(FREE, kept);
    violations.push(...expectAll(invalid, "TOOL_VALIDATION_ERROR", "an invalid call"));
    violations.push(...expectAll(dry, "an answer", "a dry run"), ...expectAll(replays, "a replay", "a repetition"));

    const servers = Array.from({ length: count }, () => random.pick(["stdio", "http"]));
    const storm = await Promise.all(servers.map((server, index) => run(toCall(server, `rate-${index}`))));
    violations.push(...judgeStorm(storm, limit - 1, home));
    violations.push(...expectAll(await repeat(FREE, kept), "a replay", "a repetition when the bucket is empty"));
    for (const gateway of gateways) await gateway.close();
    violations.push(...(await readAudit(home, dist)).violations);
    const ran = storm.filter(({ kind }) => kind === "answer").length;
    const figures = { limit, ran: ran + 1, limited: storm.length - ran, "wrong clocks": GATEWAYS - 1 };
    return { title: "one rate limit shared by four gateways", n: count, injected: count - limit, violations, figures };
  });
}

function toCall(server: string, id: string): Execution {
  return { server, tool: "effect", arguments: { id }, options: { idempotency_key: `key-${id}` } };
}

function expectAll(outcomes: readonly Outcome[], wanted: string, what: string): string[] {
  const others = outcomes.filter((one) => !describe(one).startsWith(wanted));
  return others.map((one) => `${what} ended in ${describe(one)} instead of ${wanted}`);
}

function judgeStorm(outcomes: readonly Outcome[], left: number, { ledger }: FaultHome): string[] {
  const found: string[] = [];
  const ran = outcomes.filter(({ kind }) => kind === "answer").length;
  if (ran !== left) found.push(`${ran} calls ran, the bucket had ${left} left`);
  for (const outcome of outcomes) {
    if (outcome.kind === "answer") continue;
    if (outcome.kind !== "error" || outcome.code !== "RATE_LIMITED") found.push(`a call ended in ${describe(outcome)}`);
    else if (!Object.keys(outcome.error).some((key) => key.startsWith("retry_after"))) {
      found.push(`a limited call has no retry time: ${JSON.stringify(outcome.error)}`);
    }
  }
  const sent = ledger.entries().filter(({ kind, tool }) => kind === "effect" && tool === "effect").length;
  if (sent !== left + 1) found.push(`${sent} effects, the bucket allows ${left + 1}`);
  return found;
}
