import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuditLog } from "../../../../src/audit/create-audit-log.js";
import { auditFiles } from "../../../../src/audit/files.js";
import { auditOptions } from "../../../../src/audit/options.js";
import { createSigner } from "../../../../src/audit/signer.js";
import { chainHash } from "../../../../src/store/chain-hash.js";
import { createStore, storeFile } from "../../../../src/store/create-store.js";
import { rotateAudit } from "../../../../src/store/rotate-audit.js";
import { type Database, driver } from "../../../../src/store/sqlite/driver.js";
import { verifyAudit } from "../../../../src/operations/audit/verify-audit.js";
import { createLocalKey } from "../../../../src/util/local-key.js";
import { createRandom, type Random } from "../../support/random.js";

export interface TamperTrials {
  readonly trials: number;
  readonly detected: number;
  /** Tampering that was not detected, or was attributed to the wrong record. */
  readonly missed: readonly string[];
}

/** Tampers with copies of a real audit log, each in one random way, and checks that the verification reports the right record. */
export async function runTamperTrials({ count, seed }: { count: number; seed: number }): Promise<TamperTrials> {
  const folder = mkdtempSync(join(tmpdir(), "tampers-"));
  const random = createRandom(seed);
  const missed: string[] = [];
  try {
    const bases = await Promise.all([
      writeHistory(join(folder, "plain"), []),
      writeHistory(join(folder, "rotated"), [45, 30]),
    ]);
    for (let trial = 0; trial < count; trial += 1) {
      const base = random.pick(bases);
      const untouched = trial % 20 === 0 ? await findingsOf(copyOf(base, folder)) : [];
      if (untouched.length > 0)
        missed.push(`trial ${trial}: an untouched log was reported as bad: ${untouched.join()}`);
      const done = tamper(openCopy(copyOf(base, folder)), random);
      const found = await findingsOf(join(folder, "copy"));
      const isNamed = found[0] !== undefined && found[0] >= done.from && found[0] <= done.to;
      if (!isNamed) missed.push(`trial ${trial} (seed ${seed}): ${done.what}, reported: ${found.join() || "nothing"}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { trials: count, detected: count - missed.length, missed };
}

const FIRST_CHECKPOINT = 20;

/** Sixty calls with a checkpoint after every twenty; the oldest records are moved into archives. */
async function writeHistory(state: string, keeps: readonly number[]): Promise<string> {
  const file = storeFile(state);
  const files = auditFiles(state, file);
  const store = createStore({ file, inline: true });
  const log = createAuditLog({
    chain: store.audit,
    prepareStore: () => store.prepare(),
    rotate: () => Promise.resolve(),
    checkpointFile: files.checkpointFile,
    key: createLocalKey(files.keyFile),
    signingKey: createLocalKey(files.signingKeyFile),
    options: () => auditOptions.parse({}),
    redact: (given) => given,
    now: () => 1_767_225_600_000,
    newId: () => "id",
    schedule: () => () => undefined,
    log: () => undefined,
    warn: () => undefined,
  });
  for (let n = 1; n <= 60; n += 1) {
    await log.record({
      kind: "outcome",
      request_id: `request-${n}`,
      timestamp: new Date(1_767_225_600_000 + n * 1000).toISOString(),
      actor_id: "local",
      surface: "mcp",
      tool_id: `server:tool-${n % 7}`,
      params_hash: await log.hash({ n }),
      risk: "medium",
      decision: "allowed",
      outcome: "ok",
      duration_ms: n,
    });
    if (n % FIRST_CHECKPOINT === 0) await log.recover();
  }
  for (const [index, keepRecords] of keeps.entries()) {
    const rotation = { keepRecords, keepMs: 1e12, now: 1_767_225_600_000, id: `rotation-${index}` };
    await rotateAudit(store.audit, { ...rotation, folder: files.archiveFolder });
  }
  await log.recover();
  await log.close();
  await store.close();
  return state;
}

function copyOf(base: string, folder: string): string {
  const copy = join(folder, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(base, copy, { recursive: true });
  return copy;
}

async function findingsOf(state: string): Promise<number[]> {
  const file = storeFile(state);
  const store = createStore({ file, inline: true });
  try {
    const { findings, earlierKey } = await verifyAudit(store.audit, auditFiles(state, file), 0);
    // For a checkpoint with the id of another key, verification can only report that it exists.
    return findings.length > 0 ? findings.map(({ seq }) => seq) : [...earlierKey];
  } finally {
    await store.close();
  }
}

interface Row {
  readonly seq: number;
  readonly hash: string;
  readonly body: string;
}

/** A copy, opened without the key, as an attacker with file access would. */
interface Copy {
  readonly database: Database;
  readonly checkpointFile: string;
  readonly archives: readonly string[];
  /** The rows of the database, and the record before the first row. */
  readonly rows: readonly Row[];
  readonly start: { readonly seq: number; readonly hash: string };
}

/** What was done, and which records the verification may report for it. */
interface Done {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

function openCopy(state: string): Copy {
  const file = storeFile(state);
  const { checkpointFile, archiveFolder } = auditFiles(state, file);
  const database = new (driver().DatabaseSync)(file);
  database.exec("PRAGMA synchronous = OFF");
  const rows = database.prepare("SELECT seq, hash, body FROM audit ORDER BY seq").all() as unknown as Row[];
  const start = database.prepare("SELECT seq, hash FROM audit_start").get() as unknown as Copy["start"];
  const archives = (() => {
    try {
      return readdirSync(archiveFolder)
        .sort()
        .map((name) => join(archiveFolder, name));
    } catch {
      return [];
    }
  })();
  return { database, checkpointFile, archives, rows, start };
}

type Tamper = (copy: Copy, random: Random) => Done;

function tamper(copy: Copy, random: Random): Done {
  const ways = copy.archives.length > 0 ? [...IN_THE_STORE, ...IN_ARCHIVES] : [...IN_THE_STORE, ...WITHOUT_ARCHIVES];
  try {
    return random.pick(ways)(copy, random);
  } finally {
    copy.database.close();
  }
}

const done = (what: string, from: number, to = from): Done => ({ what, from, to });
const other = <T>(items: readonly T[], random: Random, not: T): T => random.pick(items.filter((item) => item !== not));
const hexOf = (random: Random): string => Array.from({ length: 64 }, () => random.between(0, 16).toString(16)).join("");

function put({ database }: Copy, { seq, hash, body }: Row): void {
  database.prepare("UPDATE audit SET hash = :hash, body = :body WHERE seq = :seq").run({ seq, hash, body });
}

/** Moves records through unused sequence numbers, because numbers are unique. */
function renumber({ database }: Copy, from: number, by: number): void {
  database.exec(`UPDATE audit SET seq = seq + 100000 WHERE seq >= ${from};
    UPDATE audit SET seq = seq - 100000 + ${by} WHERE seq > 100000`);
}

/** A different text that is still JSON. */
function edited(body: string, random: Random): string {
  const record = JSON.parse(body) as Record<string, unknown>;
  const name = random.pick(Object.keys(record));
  const value = record[name];
  const way = random.between(0, 4);
  if (way === 0) return `${body} `;
  if (way === 1) return JSON.stringify({ ...record, added: random.between(0, 9) });
  if (way === 2) return JSON.stringify({ ...record, [name]: undefined });
  const changed = typeof value === "number" ? value + 1 : `${String(value).slice(0, -1)}~`;
  return JSON.stringify({ ...record, [name]: changed });
}

/** Recomputes the hashes of the records from one record on. */
function relinked(copy: Copy, rows: readonly Row[]): Row[] {
  let previous = copy.rows.find(({ seq }) => seq === (rows[0]?.seq ?? 0) - 1)?.hash ?? copy.start.hash;
  return rows.map(({ seq, body }) => {
    previous = chainHash(seq, previous, body);
    return { seq, hash: previous, body };
  });
}

function dropCheckpoints(copy: Copy, from: number): void {
  copy.database.exec(`DELETE FROM checkpoints WHERE seq >= ${from}`);
}

function signAnew(copy: Copy, { seq, hash }: Row, random: Random): void {
  const forger = createSigner(Buffer.alloc(32, random.between(1, 250)));
  const { key_id: known } = JSON.parse(readFileSync(copy.checkpointFile, "utf8")) as { key_id: string };
  const { at, keyId, signature } = forger.sign({ seq, hash }, 1);
  const checkpoint = { seq, hash, at, keyId: random.chance(0.5) ? keyId : known, signature };
  copy.database.exec(`DELETE FROM checkpoints`);
  copy.database.prepare("INSERT INTO checkpoints VALUES (:seq, :hash, :at, :keyId, :signature)").run(checkpoint);
  const { keyId: key_id, ...rest } = checkpoint;
  if (random.chance(0.7)) writeFileSync(copy.checkpointFile, JSON.stringify({ ...rest, key_id }));
}

const IN_THE_STORE: readonly Tamper[] = [
  function edit(copy, random) {
    const row = random.pick(copy.rows);
    put(copy, { ...row, body: edited(row.body, random) });
    return done(`edit the text of ${row.seq}`, row.seq);
  },
  function editHash(copy, random) {
    const row = random.pick(copy.rows);
    put(copy, { ...row, hash: hexOf(random) });
    return done(`edit the hash of ${row.seq}`, row.seq);
  },
  function insert(copy, random) {
    const { seq, body } = random.pick(copy.rows);
    const previous = copy.rows.find((row) => row.seq === seq - 1) ?? copy.start;
    renumber(copy, seq, 1);
    const text = edited(body, random);
    const hash = random.chance(0.7) ? chainHash(seq, previous.hash, text) : hexOf(random);
    copy.database
      .prepare("INSERT INTO audit (seq, hash, body) VALUES (:seq, :hash, :body)")
      .run({ seq, hash, body: text });
    return done(`insert before ${seq}`, seq, seq + 1);
  },
  function insertBeforeTheFirst(copy, random) {
    const seq = copy.start.seq;
    const { hash, body } = random.pick(copy.rows);
    copy.database.prepare("INSERT INTO audit (seq, hash, body) VALUES (:seq, :hash, :body)").run({ seq, hash, body });
    return done(`insert ${seq}`, seq);
  },
  function remove(copy, random) {
    const { seq } = random.pick(copy.rows);
    copy.database.exec(`DELETE FROM audit WHERE seq = ${seq}`);
    const isClosed = random.chance(0.5);
    if (isClosed) renumber(copy, seq + 1, -1);
    return done(`delete ${seq}${isClosed ? " and renumber" : ""}`, seq);
  },
  function reorder(copy, random) {
    const one = random.pick(copy.rows);
    const two = other(copy.rows, random, one);
    const isWhole = random.chance(0.5);
    put(copy, { ...one, body: two.body, hash: isWhole ? two.hash : one.hash });
    put(copy, { ...two, body: one.body, hash: isWhole ? one.hash : two.hash });
    return done(`swap ${one.seq} and ${two.seq}`, Math.min(one.seq, two.seq));
  },
  function copyForward(copy, random) {
    const to = random.pick(copy.rows.slice(1));
    const from = random.pick(copy.rows.filter(({ seq }) => seq < to.seq));
    put(copy, { seq: to.seq, body: from.body, hash: random.chance(0.5) ? from.hash : to.hash });
    return done(`copy ${from.seq} to ${to.seq}`, to.seq);
  },
  function truncate(copy, random) {
    const way = random.between(0, 4);
    // A log without any checkpoint, in the database or in a file, counts as a new store.
    const least = way === 3 && copy.archives.length === 0 ? FIRST_CHECKPOINT : 0;
    const { seq } = random.pick(copy.rows.slice(0, -1).filter((row) => row.seq >= least));
    copy.database.exec(`DELETE FROM audit WHERE seq > ${seq}`);
    if (way > 0) dropCheckpoints(copy, way === 1 ? 0 : seq + 1);
    if (way === 3) rmSync(copy.checkpointFile);
    // Without the checkpoint file only the last checkpoint in the database proves the length of the log.
    return done(`truncate after ${seq}, variant ${way}`, way === 3 ? 1 : seq + 1, seq + 1);
  },
  function recompute(copy, random) {
    const at = random.between(0, copy.rows.length);
    const [first, ...rest] = copy.rows.slice(at) as [Row, ...Row[]];
    const isShort = random.chance(0.3);
    const changed = isShort
      ? rest.map((row) => ({ ...row, seq: row.seq - 1 }))
      : [{ ...first, body: edited(first.body, random) }, ...rest];
    const rows = relinked(copy, changed);
    for (const row of rows) put(copy, row);
    if (isShort) copy.database.exec(`DELETE FROM audit WHERE seq = ${copy.rows.at(-1)!.seq}`);
    const way = random.between(0, 5);
    if (way === 1) dropCheckpoints(copy, 0);
    if (way === 2) dropCheckpoints(copy, first.seq);
    if (way === 3) signAnew(copy, rows.at(-1) ?? copy.rows.at(-1)!, random);
    if (way === 4) {
      for (const { seq, hash } of rows) {
        copy.database.prepare("UPDATE checkpoints SET hash = :hash WHERE seq = :seq").run({ seq, hash });
      }
    }
    return done(`recompute from ${first.seq}, variant ${way}`, way === 3 ? 1 : first.seq, copy.rows.at(-1)!.seq);
  },
  function spoilCheckpoint(copy, random) {
    const [row] = copy.database
      .prepare("SELECT * FROM checkpoints ORDER BY random() LIMIT 1")
      .all() as unknown as Row[];
    const change = random.pick([
      `hash = '${hexOf(random)}'`,
      "at = at + 1",
      "key_id = 'other'",
      "signature = substr(signature, 2) || 'A'",
      "signature = signature || '='",
      "seq = seq - 1",
    ]);
    copy.database.exec(`UPDATE checkpoints SET ${change} WHERE seq = ${row!.seq}`);
    return done(`${change} of the checkpoint ${row!.seq}`, row!.seq - 1, row!.seq);
  },
  function spoilCheckpointFile(copy, random) {
    const known = JSON.parse(readFileSync(copy.checkpointFile, "utf8")) as Record<string, unknown> & { seq: number };
    const change = random.pick([
      { seq: 1 },
      { seq: known.seq + 1 },
      { hash: hexOf(random) },
      { at: 5 },
      { signature: "" },
      { seq: "x" },
    ]);
    writeFileSync(copy.checkpointFile, random.chance(0.2) ? "" : JSON.stringify({ ...known, ...change }));
    return done(`damage the checkpoint file: ${JSON.stringify(change)}`, 1, known.seq + 1);
  },
  function dropBeginning(copy, random) {
    const { seq, hash } = random.pick(copy.rows.slice(0, -1));
    copy.database.exec(`DELETE FROM audit WHERE seq <= ${seq}`);
    if (random.chance(0.7)) copy.database.exec(`UPDATE audit_start SET seq = ${seq}, hash = '${hash}'`);
    return done(`drop all up to ${seq}`, copy.start.seq, seq);
  },
];

const WITHOUT_ARCHIVES: readonly Tamper[] = [
  function dropGenesis(copy) {
    copy.database.exec("DELETE FROM audit WHERE seq = 1");
    return done("drop the first record", 1);
  },
  function dropGenesisAndRecompute(copy, random) {
    copy.database.exec("DELETE FROM audit WHERE seq = 1");
    renumber(copy, 2, -1);
    for (const row of relinked(
      copy,
      copy.rows.slice(1).map((row) => ({ ...row, seq: row.seq - 1 })),
    ))
      put(copy, row);
    if (random.chance(0.5)) dropCheckpoints(copy, 0);
    return done("drop the first record and recompute", 1, copy.rows.at(-1)!.seq);
  },
];

/** The sequence number of the first record of an archive. */
const firstIn = (file: string): number => Number(/audit-(\d+)-/.exec(file)?.[1]);
const lastIn = (file: string): number => Number(/audit-\d+-(\d+)-/.exec(file)?.[1]);

const IN_ARCHIVES: readonly Tamper[] = [
  function swapArchives(copy, random) {
    const [one, two] = copy.archives as [string, string];
    if (random.chance(0.5)) {
      renameSync(one, `${one}.x`);
      renameSync(two, one);
      renameSync(`${one}.x`, two);
    } else writeFileSync(one, readFileSync(two));
    return done("swap the archives", 1);
  },
  function removeArchive(copy, random) {
    const file = random.pick(copy.archives);
    rmSync(file);
    return done(`remove ${file}`, firstIn(file) - 1, firstIn(file));
  },
  function editArchive(copy, random) {
    const file = random.pick(copy.archives);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const at = random.between(0, lines.length);
    const row = JSON.parse(lines[at]!) as Row;
    const seq = firstIn(file) + at;
    const way = random.between(0, 6);
    if (way === 0) lines[at] = JSON.stringify({ ...row, body: edited(row.body, random) });
    if (way === 1) lines[at] = JSON.stringify({ ...row, hash: hexOf(random) });
    if (way === 2) lines.splice(at, 1);
    if (way === 3) lines.splice(at, 0, lines[at]!);
    if (way === 4) lines.length = at;
    if (way === 5) lines[at] = "rubbish";
    writeFileSync(file, `${lines.join("\n")}\n`);
    return done(`line ${at} of ${file}, way ${way}`, seq, seq + 1);
  },
  function respellArchive(copy, random) {
    const file = random.pick(copy.archives);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, random.chance(0.5) ? `${text}\n` : text.replace('"seq":', '"seq": '));
    return done(`respell ${file}`, firstIn(file));
  },
  function recomputeArchive(copy, random) {
    const file = copy.archives[0]!;
    const rows = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
    const at = random.between(0, rows.length);
    let previous = "0".repeat(64);
    const forged = rows.map(({ seq, body }, index) => {
      const text = index === at ? edited(body, random) : body;
      previous = chainHash(seq, previous, text);
      return { seq, hash: previous, body: text };
    });
    writeFileSync(file, forged.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return done(`recompute ${file} from line ${at}`, 1, lastIn(file) + 1);
  },
  function hideArchives(copy) {
    copy.database.exec(`UPDATE audit_start SET seq = 0, hash = '${"0".repeat(64)}'`);
    return done("hide the archives", 1, copy.start.seq + 1);
  },
];
