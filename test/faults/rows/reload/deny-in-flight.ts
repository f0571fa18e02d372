// A new rule denies a tool while calls to it run and wait in the queue: once the rule is active, no further call is
// sent.
import { waitFor } from "../../support/deadline.js";
import type { Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { openReloading, type ReloadingGateway } from "../../support/reloading-gateway.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime } from "../../support/timing.js";

const CALLERS = 16;
/** Few at a time, so that most calls are queued when the rule changes. */
const CONCURRENCY = 2;
const LIMIT_MS = 1_000;
/** A busy machine delays everything; a reload without load shows by how much. */
const TIMES_CONTROL = 4;

/** Both ways to deny a tool, with the error codes for callers. */
const DENIALS = [
  { how: { toolRules: [{ pattern: "effect", enabled: false }] }, code: "TOOL_DISABLED" },
  {
    how: { policy: { localScopes: ["look"], scopes: [{ tools: "*:effect", required_scopes: ["change"] }] } },
    code: "SCOPE_REQUIRED",
  },
] as const;

interface Reported {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
}

/** `count`: how often the tool is denied and allowed again. */
export async function denyInFlight({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const config = {
      servers: { one: home.stdio("one") },
      upstreams: { concurrency: CONCURRENCY, queue: 64, queueWaitMs: 60_000 },
    };
    const gateway = await openReloading(home, dist, config);
    await gateway.execute({ server: "one", tool: "read", arguments: { id: "warm" } });
    const idle = await timed(() => gateway.reload(config));
    const violations: string[] = [];
    const effective: number[] = [];
    let calls = 0;
    let denied = 0;
    for (let round = 0; round < count; round += 1) {
      const { how, code } = DENIALS[round % DENIALS.length]!;
      const flow = startFlow(gateway, round);
      await waitFor(() => flow.reported.length > 2 * CALLERS, "flow of calls");
      const deniedAt = Date.now();
      await gateway.reload({ ...config, ...how });
      await waitFor(() => flow.reported.some(({ outcome }) => isDenial(outcome, code)), `call that fails with ${code}`);
      // As many again, so that all queued calls have been processed.
      const so = flow.reported.length;
      await waitFor(() => flow.reported.length > so + 2 * CALLERS, "calls after the denial");
      const reported = await flow.stop();
      const found = judge(home, reported, code);
      violations.push(...found.violations.map((text) => `round ${round}: ${text}`));
      effective.push(Math.max(0, found.lastSentAt - deniedAt));
      calls += reported.length;
      denied += reported.filter(({ outcome }) => isDenial(outcome, code)).length;
      await gateway.reload(config);
      if (round % 10 === 9) onProgress?.(`${round + 1} of ${count} denials`);
    }
    const limit = Math.max(LIMIT_MS, TIMES_CONTROL * idle);
    violations.push(...effective.filter((ms) => ms > limit).map((ms) => `a denial took ${ms} ms`));
    await gateway.close();
    const { gate } = judgeTime({
      of: "from the denial to the last call that is sent",
      ms: effective,
      gateMs: LIMIT_MS,
      control: [idle],
    });
    return {
      title: "a tool that is denied while calls run",
      n: calls,
      injected: count,
      violations,
      gates: [gate],
      figures: { denials: count, "calls refused": denied, "a reload without load, ms": Math.round(idle) },
      times: { of: "denials, from the change of the file to the last call that was sent", ms: effective },
    };
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function startFlow(gateway: ReloadingGateway, round: number) {
  const reported: Reported[] = [];
  const over = new AbortController();
  let next = 0;
  const call = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const id = `deny-${round}-${next++}`;
      const startedAt = Date.now();
      const outcome = await gateway.execute({ server: "one", tool: "effect", arguments: { id } });
      reported.push({ id, startedAt, endedAt: Date.now(), outcome });
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  return {
    reported,
    async stop(): Promise<readonly Reported[]> {
      over.abort();
      await Promise.all(callers);
      return reported;
    },
  };
}

const isDenial = (outcome: Outcome, code: string): boolean => outcome.kind === "error" && outcome.code === code;

/**
 * The rule is active, at the latest, when the first caller gets the error: calls that start later are not sent, and of the
 * queued calls the server receives only those that were just being sent.
 */
function judge({ ledger }: FaultHome, reported: readonly Reported[], code: string) {
  const violations: string[] = [];
  const inForceAt = Math.min(
    ...reported.filter(({ outcome }) => isDenial(outcome, code)).map(({ endedAt }) => endedAt),
  );
  let lastSentAt = 0;
  let late = 0;
  for (const { id, startedAt, outcome } of reported) {
    const sent = ledger.of(id, "call");
    const at = Math.max(0, ...sent.map((entry) => (entry as { ts?: number }).ts ?? 0));
    lastSentAt = Math.max(lastSentAt, at);
    if (at > inForceAt) late += 1;
    if (sent.length > 1) violations.push(`${id} was sent ${sent.length} times`);
    if (startedAt > inForceAt && sent.length > 0) violations.push(`${id} was sent after the denial`);
    if (isDenial(outcome, code) && sent.length > 0) violations.push(`${id} was sent and answered with ${code}`);
    if (outcome.kind !== "answer" && !isDenial(outcome, code)) violations.push(`${id}: ${describe(outcome)}`);
    if (outcome.kind === "answer" && sent.length !== 1) violations.push(`${id}: answered, sent ${sent.length} times`);
  }
  if (late > CONCURRENCY) violations.push(`${late} calls were sent after the denial`);
  return { violations, lastSentAt };
}
