// Store files as a power failure would leave them, at random moments under load: copied while the gateway is suspended,
// with the log truncated and damaged after the acknowledged part. In some cases the gateway itself is killed. Every
// outcome that a client received, and every call that a server received, is still in the log.
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "../../../../src/store/create-store.js";
import { driver } from "../../../../src/store/sqlite/driver.js";
import { chainHash } from "../../../../src/store/chain-hash.js";
import { readAudit, settleAudit } from "../../support/audit.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const CLIENTS = 16;
const SECTOR = 512;
const MAX_BETWEEN_COPIES = 30;
const MAX_UNACKNOWLEDGED_MS = 30;
const COPIES_PER_KILL = 2;

/** The acknowledged answers, and the calls that had reached a server, when a copy began. */
interface Promised {
  readonly acknowledged: readonly string[];
  readonly sent: readonly string[];
}

interface Load {
  readonly promised: () => Promised;
  /** Lets its calls finish; resolves when they have. */
  stop(): Promise<void>;
}

/** `count`: the number of copies. */
export async function powerLoss({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure(
      { http: await home.http("http"), http2: await home.http("http2") },
      { audit: { keepRecords: 1_000_000 } },
    );
    const random = createRandom(seed);
    const found = { violations: [] as string[], judged: new Set<string>(), torn: 0, kills: 0 };
    const acknowledged: string[] = [];
    for (let copies = 0; copies < count; ) {
      const gateway = await openGateway(home, { dist });
      await gateway.execute({ server: "http", tool: "read", arguments: { id: `warm-${copies}` } });
      const load = startLoad(home, { gateway, acknowledged, round: found.kills, random });
      for (let turn = 0; turn < COPIES_PER_KILL && copies < count; turn += 1, copies += 1) {
        const enough = acknowledged.length + random.between(1, MAX_BETWEEN_COPIES);
        await waitFor(() => acknowledged.length >= enough, "acknowledged calls");
        const promised = load.promised();
        const { folder, isTorn } = await takeCopy({ home, gateway, random, name: `copy-${copies}` });
        found.violations.push(...judgeCopy(folder, promised, `copy ${copies}`));
        for (const id of promised.acknowledged) found.judged.add(`acknowledged ${id}`);
        for (const id of promised.sent) found.judged.add(`sent ${id}`);
        found.torn += isTorn ? 1 : 0;
        rmSync(folder, { recursive: true, force: true });
      }
      await gateway.kill();
      found.kills += 1;
      await load.stop();
      onProgress?.(`${copies} of ${count} copies`);
    }
    const last = await openGateway(home, { dist });
    await last.execute({ server: "http", tool: "read", arguments: { id: "last" } });
    await settleAudit(home);
    await last.close();
    const audit = await readAudit(home, dist);
    const keys = new Set(audit.records.filter(({ kind }) => kind === "outcome").map((one) => one["idempotency_key"]));
    const lost = acknowledged.filter((id) => !keys.has(`key-${id}`));
    for (const id of acknowledged) found.judged.add(`acknowledged ${id}`);
    const kills = Math.ceil(count / COPIES_PER_KILL);
    if (found.kills < kills) found.violations.push(`only ${found.kills} of ${kills} gateways were killed`);
    return {
      title: "a power failure at random moments",
      n: found.judged.size,
      injected: count + found.kills,
      violations: [
        ...found.violations,
        ...audit.violations,
        ...lost.map((id) => `${id} was acknowledged and has no audit record`),
      ],
      figures: {
        copies: count,
        "copies with a damaged log end": found.torn,
        "gateways killed": found.kills,
        acknowledged: acknowledged.length,
        "recorded as unknown": audit.records.filter(({ outcome }) => outcome === "unknown").length,
      },
    };
  });
}

interface LoadParts {
  readonly gateway: Gateway;
  readonly acknowledged: string[];
  readonly round: number;
  readonly random: Random;
}

function startLoad(home: FaultHome, { gateway, acknowledged, round, random }: LoadParts): Load {
  const over = new AbortController();
  let next = 0;
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const id = `power-${round}-${next++}`;
      const server = random.pick(["http", "http2"]);
      const outcome = await gateway.execute({
        server,
        tool: "effect",
        arguments: { id },
        options: { idempotency_key: `key-${id}` },
      });
      if (outcome.kind === "died") return;
      acknowledged.push(id);
    }
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, work));
  return {
    promised: () => ({
      acknowledged: acknowledged.slice(-2000),
      sent: home.ledger
        .entries()
        .filter(({ kind, tool }) => kind === "call" && tool !== "read")
        .slice(-2000)
        .map(({ id }) => id),
    }),
    async stop() {
      over.abort();
      await all;
    },
  };
}

interface Copying {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly random: Random;
  readonly name: string;
}

/** Anything appended to the log after the list of acknowledged answers was taken is unacknowledged: any sector of it may be lost. */
async function takeCopy({ home, gateway, random, name }: Copying): Promise<{ folder: string; isTorn: boolean }> {
  const folder = home.path(name);
  const file = storeFile(home.state);
  mkdirSync(folder);
  const before = readLog(`${file}-wal`);
  await new Promise((resolve) => setTimeout(resolve, random.between(1, MAX_UNACKNOWLEDGED_MS)));
  gateway.signal("SIGSTOP");
  try {
    copyFileSync(file, join(folder, "store.db"));
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, join(folder, "store.db-wal"));
  } finally {
    gateway.signal("SIGCONT");
  }
  const copied = join(folder, "store.db-wal");
  const after = readLog(copied);
  // A log that was restarted in the meantime is left unchanged.
  if (after.salts !== before.salts || after.end <= before.end) return { folder, isTorn: false };
  const handle = openSync(copied, "r+");
  for (let at = before.end; at < after.end; at += SECTOR) {
    if (random.chance(0.5)) continue;
    writeSync(handle, Buffer.alloc(Math.min(SECTOR, after.end - at), random.between(0, 256)), 0, undefined, at);
  }
  closeSync(handle);
  return { folder, isTorn: true };
}

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;

/** SQLite's write-ahead log: its salts, and the end of the frames that carry them. */
function readLog(file: string): { salts: string; end: number } {
  if (!existsSync(file)) return { salts: "", end: 0 };
  const bytes = readFileSync(file);
  if (bytes.length < HEAD_BYTES) return { salts: "", end: 0 };
  const salts = bytes.subarray(16, 24).toString("hex");
  const frame = FRAME_HEAD_BYTES + bytes.readUInt32BE(8);
  let end = HEAD_BYTES;
  while (end + frame <= bytes.length && bytes.subarray(end + 8, end + 16).toString("hex") === salts) end += frame;
  return { salts, end };
}

function judgeCopy(folder: string, { acknowledged, sent }: Promised, name: string): string[] {
  const database = new (driver().DatabaseSync)(join(folder, "store.db"));
  try {
    const rows = database.prepare("SELECT seq, hash, body FROM audit ORDER BY seq").all();
    const found = { intents: new Set<unknown>(), outcomes: new Set<unknown>() };
    const violations: string[] = [];
    let before: { seq: number; hash: string } | undefined;
    for (const row of rows) {
      const [seq, hash, body] = [Number(row["seq"]), String(row["hash"]), String(row["body"])];
      if (before !== undefined && chainHash(seq, before.hash, body) !== hash) {
        violations.push(`${name}: record ${seq} does not continue the hash chain`);
      }
      before = { seq, hash };
      const { kind, idempotency_key: key } = JSON.parse(body) as { kind: string; idempotency_key?: string };
      found[kind === "intent" ? "intents" : "outcomes"].add(key);
    }
    for (const id of acknowledged) {
      if (!found.outcomes.has(`key-${id}`)) violations.push(`${name}: ${id} was acknowledged and is lost`);
    }
    for (const id of sent) {
      if (!found.intents.has(`key-${id}`)) violations.push(`${name}: ${id} reached a server, but its intent is lost`);
    }
    return violations;
  } finally {
    database.close();
  }
}
