// A gateway is killed before its next checkpoint. Then the newest records are lost, the checkpoint file is torn, or both.
// The verification names the loss; the next gateway records it, restores the file and signs the log again.
import { readFileSync, writeFileSync } from "node:fs";
import { auditFiles } from "../../../../src/audit/files.js";
import { storeFile } from "../../../../src/store/create-store.js";
import { driver } from "../../../../src/store/sqlite/driver.js";
import { runCommand } from "../../support/command.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const KINDS = ["nothing", "lost records", "a torn file", "both"] as const;
type Kind = (typeof KINDS)[number];
/** Rounds in one home folder: a long log, and losses in a log that has recorded losses before. */
const ROUNDS = 20;
const MAX_CALLS = 6;

interface Page {
  readonly whole: boolean;
  readonly head: { readonly seq: number };
  readonly findings: readonly { readonly seq: number; readonly reason: string }[];
  readonly gaps: readonly { readonly first: number; readonly through: number }[];
}

interface Found {
  readonly violations: string[];
  readonly tried: Record<Kind, number>;
  n: number;
}

/** `count`: how many gateways are killed. */
export async function lostRecords({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const found: Found = {
    violations: [],
    tried: { nothing: 0, "lost records": 0, "a torn file": 0, both: 0 },
    n: 0,
  };
  while (found.n < count) {
    await inHome(async (home) => {
      home.configure({ one: await home.http("one") });
      let gaps = 0;
      for (let round = 0; round < ROUNDS && found.n < count; round += 1) {
        gaps = await runRound(home, { dist, random, found, gaps });
        found.n += 1;
      }
    });
    onProgress?.(`${found.n} of ${count} gateways were killed`);
  }
  const { nothing, ...injected } = found.tried;
  return {
    title: "records that are lost after the last checkpoint, and torn checkpoint files",
    n: found.n,
    injected: Object.values(injected).reduce((sum, one) => sum + one, 0),
    violations: found.violations,
    figures: { ...injected, "killed without a loss": nothing },
  };
}

interface Round {
  readonly dist: string;
  readonly random: Random;
  readonly found: Found;
  /** The number of gaps that the log has so far. */
  readonly gaps: number;
}

/** Returns the number of gaps that the log has afterwards. */
async function runRound(home: FaultHome, { dist, random, found, gaps }: Round): Promise<number> {
  const { violations, tried } = found;
  const what = `round ${found.n}`;
  const verify = async (): Promise<Page> => {
    const ran = await runCommand(home, { dist }, ["audit", "--verify", "--json"]);
    const page = JSON.parse(ran.stdout) as Page;
    if ((ran.code === 0) !== page.whole) violations.push(`${what}: whole ${page.whole}, but exit code ${ran.code}`);
    return page;
  };
  const signed = await openGateway(home, { dist });
  await call(signed, found, `${found.n}-signed`);
  await signed.close();
  const killed = await openGateway(home, { dist });
  const calls = random.between(1, MAX_CALLS);
  for (let number = 0; number < calls; number += 1) await call(killed, found, `${found.n}-${number}`);
  await killed.kill();

  const before = await verify();
  if (!before.whole) violations.push(`${what}: killed without a loss, but reported ${JSON.stringify(before.findings)}`);
  const kind = random.pick(KINDS);
  tried[kind] += 1;
  const isLost = kind === "lost records" || kind === "both";
  const isTorn = kind === "a torn file" || kind === "both";
  const { checkpointFile } = auditFiles(home.state, storeFile(home.state));
  // The records of the killed gateway alone are not signed.
  const lost = isLost ? random.between(1, calls + 1) : 0;
  const end = before.head.seq - lost;
  if (isLost) deleteAfter(home, end);
  if (isTorn) {
    const text = readFileSync(checkpointFile, "utf8");
    writeFileSync(
      checkpointFile,
      random.pick(["", text.slice(0, random.between(1, text.length - 2)), "\0".repeat(100)]),
    );
  }
  const damaged = await verify();
  if (damaged.whole === (isLost || isTorn)) violations.push(`${what}: ${kind} was reported as whole ${damaged.whole}`);
  if (isLost && !damaged.findings.some(({ seq, reason }) => seq === end + 1 && /is missing/.test(reason)))
    violations.push(`${what}: ${lost} lost records after ${end}: ${JSON.stringify(damaged.findings)}`);

  const next = await openGateway(home, { dist });
  await call(next, found, `${found.n}-next`);
  await next.close();
  const after = await verify();
  if (!after.whole) violations.push(`${what}: after ${kind} and a restart: ${JSON.stringify(after.findings)}`);
  const newest = after.gaps.at(-1);
  if (after.gaps.length !== gaps + (isLost ? 1 : 0))
    violations.push(`${what}: ${after.gaps.length} gaps after ${kind}`);
  else if (isLost && (newest?.first !== end + 1 || newest.through !== before.head.seq))
    violations.push(`${what}: records ${end + 1} to ${before.head.seq} were lost: ${JSON.stringify(newest)}`);
  return after.gaps.length;
}

async function call(
  gateway: Awaited<ReturnType<typeof openGateway>>,
  { violations }: Found,
  id: string,
): Promise<void> {
  const outcome = await gateway.execute({ server: "one", tool: "read", arguments: { id } });
  if (outcome.kind !== "answer") violations.push(`the call ${id} ended in ${describe(outcome)}`);
}

function deleteAfter(home: FaultHome, seq: number): void {
  const database = new (driver().DatabaseSync)(storeFile(home.state));
  database.exec(`PRAGMA busy_timeout = 5000; DELETE FROM audit WHERE seq > ${seq}`);
  database.close();
}
