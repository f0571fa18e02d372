import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditBody, CheckpointRecord } from "./audit-records.js";
import { chainHash } from "./chain-hash.js";
import { createStore } from "./create-store.js";
import { parseArchive } from "./audit-archives.js";
import { rotateAudit } from "./rotate-audit.js";
import { driver } from "./sqlite/driver.js";
import type { Store } from "./store.js";
import { CHAIN_START, followRecords } from "./verify-chain.js";
import { verifyHistory } from "./verify-history.js";

const DAY_MS = 86_400_000;
const body = (n: number): AuditBody => ({
  kind: "outcome",
  request_id: `r${n}`,
  timestamp: new Date(n * DAY_MS).toISOString(),
});
const isSigned = ({ signature }: CheckpointRecord): boolean => signature === "good";

let folder: string;
let file: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chain-"));
  file = join(folder, "store.db");
  store = createStore({ file, inline: true });
  const marks = await store.audit.append(Array.from({ length: 30 }, (_, n) => body(n)));
  await store.audit.addCheckpoint({ ...marks[24]!, at: 1, keyId: "k", signature: "good" });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const tamper = (...statements: string[]): void => {
  const database = new (driver().DatabaseSync)(file);
  database.exec("PRAGMA busy_timeout = 5000");
  for (const sql of statements) database.exec(sql);
  database.close();
};
const verify = () => verifyHistory({ audit: store.audit, archiveFolder: folder, outside: [], keyId: "k", isSigned });

describe("verifyHistory", () => {
  it("reports nothing for an unchanged chain", async () => {
    expect(await verify()).toMatchObject({ findings: [], records: 30, head: { seq: 30 } });
  });

  it.each([
    ["an edited text", ["UPDATE audit SET body = replace(body, 'r4', 'rX') WHERE seq = 5"], 5],
    ["an edited hash", [`UPDATE audit SET hash = '${"1".repeat(64)}' WHERE seq = 7`], 7],
    ["a missing record", ["DELETE FROM audit WHERE seq = 9"], 9],
    [
      "two swapped records",
      [
        "UPDATE audit SET seq = seq + 100 WHERE seq = 3",
        "UPDATE audit SET seq = 3 WHERE seq = 4",
        "UPDATE audit SET seq = 4 WHERE seq = 103",
      ],
      3,
    ],
    ["a record before the first", ["INSERT INTO audit (seq, hash, body) VALUES (0, 'x', '{}')"], 0],
    ["a missing first record", ["DELETE FROM audit WHERE seq = 1"], 1],
    ["a moved start", ["DELETE FROM audit WHERE seq <= 3", "UPDATE audit_start SET seq = 3, hash = (SELECT 'x')"], 4],
    ["deleted records at the end", ["DELETE FROM audit WHERE seq > 20"], 21],
    ["a checkpoint that was moved", ["UPDATE checkpoints SET seq = 20"], 20],
    ["a checkpoint with a forged signature", ["UPDATE checkpoints SET signature = 'bad'"], 25],
  ])("reports %s", async (_name, statements, seq) => {
    tamper(...statements);
    expect((await verify()).findings[0]).toMatchObject({ seq });
  });

  it("reports records that were removed from the start without a rotation", async () => {
    const [, , third] = await store.audit.read({});
    tamper("DELETE FROM audit WHERE seq <= 3", `UPDATE audit_start SET seq = 3, hash = '${third!.hash}'`);
    expect((await verify()).findings[0]).toMatchObject({ seq: 3, reason: expect.stringContaining("rotation") });
  });

  it("reports records that were rewritten before the last checkpoint", async () => {
    let previous: string = CHAIN_START.hash;
    const forged = Array.from({ length: 30 }, (_, n) => {
      const text = JSON.stringify({ ...body(n), actor_id: "mallory" });
      previous = chainHash(n + 1, previous, text);
      return `UPDATE audit SET body = '${text}', hash = '${previous}' WHERE seq = ${n + 1}`;
    });
    tamper(...forged);
    expect((await verify()).findings[0]).toMatchObject({ seq: 25, reason: "the record differs from its checkpoint" });
  });

  it("reports a change of any byte, with the number of the record", async () => {
    const records = await store.audit.read({});
    await fc.assert(
      fc.asyncProperty(fc.nat(29), fc.nat(60), fc.integer({ min: 1, max: 127 }), async (index, at, change) => {
        const changed = records.map((record, n) => {
          if (n !== index) return record;
          const bytes = Buffer.from(record.body);
          bytes[at % bytes.length]! ^= change;
          return { ...record, body: bytes.toString("latin1") };
        });
        expect(followRecords(changed, CHAIN_START)).toMatchObject({ seq: index + 1 });
      }),
      { numRuns: 300 },
    );
  });
});

describe("rotateAudit", () => {
  const parts = (rest: Partial<Parameters<typeof rotateAudit>[1]> = {}) => ({
    folder,
    now: 40 * DAY_MS,
    id: "one",
    keepRecords: 10,
    keepMs: 365 * DAY_MS,
    ...rest,
  });

  it("moves the oldest records into a file, and the rest of the chain continues from it", async () => {
    const first = await rotateAudit(store.audit, parts());
    expect(first).toMatchObject({ first: 1, last: 20 });
    const second = await rotateAudit(store.audit, parts({ id: "two", keepRecords: 5 }));
    expect(second).toMatchObject({ first: 21, last: 26 });
    const [one, two] = await Promise.all(
      [first, second].map(async (each) => parseArchive(await readFile(each!.file, "utf8"))),
    );
    expect(followRecords(one!, CHAIN_START)).toBeUndefined();
    expect(followRecords(two!, one!.at(-1)!)).toBeUndefined();
    expect(await store.audit.start()).toMatchObject({ seq: 26, hash: two!.at(-1)!.hash });
    expect((await verify()).findings).toEqual([]);
  });

  it("moves records by age too", async () => {
    expect(await rotateAudit(store.audit, parts({ keepRecords: 1000, keepMs: 30 * DAY_MS }))).toMatchObject({
      last: 10,
    });
  });

  it("moves nothing when no record is over the limits", async () => {
    expect(await rotateAudit(store.audit, parts({ keepRecords: 1000 }))).toBeUndefined();
  });

  it("stops before an intent that is still open", async () => {
    await store.audit.append([{ ...body(30), kind: "intent" }, ...Array.from({ length: 20 }, (_, n) => body(31 + n))]);
    expect(await rotateAudit(store.audit, parts({ keepRecords: 0 }))).toMatchObject({ last: 30 });
  });

  it("moves the records once when two processes rotate at the same time", async () => {
    const other = createStore({ file, inline: true });
    const tries = [rotateAudit(store.audit, parts()), rotateAudit(other.audit, parts({ id: "two" }))];
    const done = (await Promise.all(tries)).filter((rotation) => rotation !== undefined);
    expect(done).toHaveLength(1);
    expect((await readdir(folder)).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
    expect((await verify()).findings).toEqual([]);
    await other.close();
  });
});
