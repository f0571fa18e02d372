// The disk of the store fails, fills up, becomes read-only or is slow. A call that cannot be recorded is not executed,
// nothing is executed twice, and the gateway recovers without a restart when the disk does.
import { writeFileSync } from "node:fs";
import { readAudit, settleAudit } from "../../support/audit.js";
import {
  copyOwnDisk,
  type DiskFault,
  failedWrites,
  fullDisk,
  hasLimits,
  hasOwnDisks,
  holdStore,
  makeWritable,
  onOwnDisk,
} from "../../support/broken-disk.js";
import { descendantsOf } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { type Execution, type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const SLOW_MS = 2000;
/** Where each fault is injected only once. */
const SHORTLY_MS = 300;
const RISKY = ["effect", "idempotent_effect"] as const;
const POLICY = {
  buckets: { many: { calls: 100_000, perSeconds: 3600 } },
  rateLimits: [{ tools: "idempotent_effect", rate_limit_bucket: "many" }],
};

interface Found {
  readonly violations: string[];
  n: number;
  injected: number;
  readonly reported: Record<string, number>;
}

/** `count`: how often each fault is injected. */
export async function brokenDisk({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const found: Found = { violations: [], n: 0, injected: 0, reported: {} };
  const tried: string[] = [];
  if (hasLimits()) {
    await inHome((home) => tryFaults(home, { name: "writes that fail", fault: failedWrites, count, dist, found }));
    tried.push("writes that fail");
  }
  onProgress?.(`${found.n} calls on the regular disk`);
  if (hasOwnDisks()) {
    await inHome((home) =>
      tryFaults(home, { name: "a full disk", fault: fullDisk(home.state), count, dist, ownDisk: true, found }),
    );
    await inHome((home) => tryReadOnly(home, { dist, found }));
    tried.push("a full disk", "a read-only disk");
    onProgress?.(`${found.n} calls on all disks`);
  }
  await inHome((home) => trySlow(home, { count, dist, found }));
  tried.push("a slow store");
  const { violations, n, injected, reported } = found;
  return {
    title: "a failing disk",
    n,
    injected,
    violations,
    figures: { tried: tried.join("; "), ...reported },
  };
}

interface Trial {
  readonly name: string;
  readonly fault: DiskFault;
  readonly count: number;
  readonly dist: string;
  readonly ownDisk?: boolean;
  readonly found: Found;
}

async function tryFaults(home: FaultHome, { name, fault, count, dist, ownDisk = false, found }: Trial): Promise<void> {
  home.configure({ one: home.stdio("one"), two: await home.http("two") }, { policy: POLICY });
  const gateway = await openGateway(home, { dist: ownDisk ? onOwnDisk(home, dist) : dist });
  await waitFor(async () => (await gateway.execute(read("warm", "one"))).kind === "answer", "a first answer");
  await gateway.execute(read("warm-2", "two"));
  const pid = ownDisk ? (descendantsOf(gateway.pid)[0] ?? 0) : gateway.pid;
  for (let round = 0; round < count; round += 1) {
    await tryOnce({ home, gateway, found, name, id: `${name.replaceAll(" ", "-")}-${round}`, begin: () => fault(pid) });
    found.injected += 1;
  }
  await waitFor(async () => (await gateway.execute(read("last", "one"))).kind === "answer", "a final answer");
  const seen = ownDisk ? copyOwnDisk(home, pid) : home;
  if (!ownDisk) await gateway.close();
  await settleAudit(seen);
  const audit = await readAudit(seen, dist);
  if (ownDisk) await gateway.close();
  const recorded = audit.records.filter(({ kind }) => kind === "intent").length;
  const sent = home.ledger.entries().filter(({ kind, tool }) => kind === "call" && tool !== "read").length;
  if (recorded < sent) found.violations.push(`${sent} calls were sent, but the audit log has ${recorded} intents`);
  found.violations.push(...audit.violations);
}

const read = (id: string, server: string): Execution => ({ server, tool: "read", arguments: { id } });
const risky = (id: string, server: string, tool: string): Execution => ({
  server,
  tool,
  arguments: { id },
  options: { idempotency_key: `key-${id}` },
});

interface Once {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly found: Found;
  readonly name: string;
  readonly id: string;
  readonly begin: () => Promise<() => Promise<void>>;
}

async function tryOnce({ home, gateway, found, name, id, begin }: Once): Promise<void> {
  const { violations, reported } = found;
  const note = (outcome: Outcome): void => {
    const word = describe(outcome);
    reported[word] = (reported[word] ?? 0) + 1;
    found.n += 1;
  };
  const gate = home.path(`gate-${id}`);
  const held: Execution = { ...risky(`${id}-held`, "two", "effect"), arguments: { id: `${id}-held`, gate } };
  const running = gateway.execute(held);
  await home.ledger.waitFor(`${id}-held`, "call");

  const end = await begin();
  const calls = ["one", "two"].flatMap((server) => RISKY.map((tool) => risky(`${id}-${server}-${tool}`, server, tool)));
  const bare = { server: "one", tool: "effect", arguments: { id: `${id}-bare` } };
  for (const outcome of await Promise.all([...calls, bare].map((call) => gateway.execute(call)))) {
    note(outcome);
    const isClosed = outcome.kind === "error" && outcome.executed === "no";
    if (!isClosed) violations.push(`${name}: a call that cannot be recorded ended in ${describe(outcome)}`);
  }
  const harmless = await gateway.execute(read(`${id}-read`, "one"));
  note(harmless);
  if (harmless.kind !== "error")
    violations.push(`${name}: an unrecorded read-only call ended in ${describe(harmless)}`);
  writeFileSync(gate, "");
  const unrecorded = await running;
  note(unrecorded);
  if (unrecorded.kind !== "error" || unrecorded.executed === "no") {
    violations.push(`${name}: a call that ran but could not be recorded ended in ${describe(unrecorded)}`);
  }
  for (const { arguments: given } of [...calls, bare]) {
    const { id: marker } = given as { id: string };
    if (home.ledger.of(marker, "call").length > 0) violations.push(`${name}: ${marker} was sent without a record`);
  }
  await end();

  for (const call of calls) {
    const again = await waitFor(async () => {
      const outcome = await gateway.execute(call);
      return outcome.kind === "error" && outcome.code === "AUDIT_UNAVAILABLE" ? undefined : outcome;
    }, `recovery from ${name}`);
    note(again);
    if (describe(again) !== "an answer")
      violations.push(`${name}: afterwards ${JSON.stringify(call.arguments)} ended in ${describe(again)}`);
  }
  const repeated = await gateway.execute(held);
  note(repeated);
  const isReported = describe(repeated) === "a replay" || describe(repeated).startsWith("IDEMPOTENCY_OUTCOME_UNKNOWN");
  if (!isReported) violations.push(`${name}: the retry of an executed call ended in ${describe(repeated)}`);
  if (home.ledger.of(`${id}-held`, "effect").length !== 1)
    violations.push(`${name}: the executed call did not run exactly once`);
  for (const { arguments: given } of calls) {
    const { id: marker } = given as { id: string };
    if (home.ledger.of(marker, "effect").length !== 1) violations.push(`${name}: ${marker} did not run exactly once`);
  }
}

/** The store cannot be created at first, and later it can. */
async function tryReadOnly(home: FaultHome, { dist, found }: Pick<Trial, "dist" | "found">): Promise<void> {
  home.configure({ one: home.stdio("one") }, { policy: POLICY });
  const gateway = await openGateway(home, { dist: onOwnDisk(home, dist, true) });
  const pid = descendantsOf(gateway.pid)[0] ?? 0;
  const calls = RISKY.map((tool) => risky(`read-only-${tool}`, "one", tool));
  for (const call of calls) {
    const outcome = await gateway.execute(call);
    found.n += 1;
    const isClosed = outcome.kind === "error" && outcome.executed === "no";
    if (!isClosed) found.violations.push(`a read-only disk: a call ended in ${describe(outcome)}`);
  }
  if (home.ledger.entries().length > 0) found.violations.push("a read-only disk: a call was sent without a record");
  await makeWritable(home.state, pid);
  for (const call of calls) {
    const outcome = await waitFor(async () => {
      const reported = await gateway.execute(call);
      return reported.kind === "error" && reported.executed === "no" ? undefined : reported;
    }, "recovery from a read-only disk");
    if (outcome.kind !== "answer") found.violations.push(`a read-only disk: afterwards ${describe(outcome)}`);
  }
  found.injected += 1;
  const copied = copyOwnDisk(home, pid);
  found.violations.push(...(await readAudit(copied, dist)).violations);
  await gateway.close();
}

/** Another process locks the store: each call waits for its write, and nothing else changes. */
async function trySlow(
  home: FaultHome,
  { count, dist, found }: Pick<Trial, "count" | "dist" | "found">,
): Promise<void> {
  home.configure({ one: home.stdio("one") }, { policy: POLICY });
  const gateway = await openGateway(home, { dist });
  await gateway.execute(read("warm", "one"));
  for (let round = 0; round < Math.min(count, 3); round += 1) {
    const release = holdStore(home);
    const from = performance.now();
    const calls = RISKY.map((tool) => gateway.execute(risky(`slow-${round}-${tool}`, "one", tool)));
    await new Promise((resolve) => setTimeout(resolve, count > 1 ? SLOW_MS : SHORTLY_MS));
    const early = home.ledger.entries().filter(({ id }) => id.startsWith(`slow-${round}`)).length;
    release();
    const outcomes = await Promise.all(calls);
    found.injected += 1;
    found.n += outcomes.length;
    if (early > 0) found.violations.push(`slow: ${early} calls were sent before they were recorded`);
    for (const outcome of outcomes) {
      if (outcome.kind !== "answer")
        found.violations.push(`slow: after ${Math.round(performance.now() - from)} ms ${describe(outcome)}`);
    }
  }
  await gateway.close();
  found.violations.push(...(await readAudit(home, dist)).violations);
}
