import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditBody, AuditRecords } from "./audit-records.js";
import { createStore } from "./create-store.js";
import { rotateAudit } from "./rotate-audit.js";
import { driver } from "./sqlite/driver.js";
import type { Store } from "./store.js";
import { CHAIN_START } from "./verify-chain.js";
import { verifyHistory } from "./verify-history.js";

const body = (n: number): AuditBody => ({
  kind: "outcome",
  request_id: `r${n}`,
  timestamp: new Date(n).toISOString(),
});

let folder: string;
let file: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "history-"));
  file = join(folder, "store.db");
  store = createStore({ file, inline: true });
  await store.audit.append(Array.from({ length: 30 }, (_, n) => body(n)));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const archiveFolder = (): string => join(folder, "audit");
const rotate = (keepRecords: number, id: string) =>
  rotateAudit(store.audit, { folder: archiveFolder(), now: 40, id, keepRecords, keepMs: 1e12 });
const verify = (audit: AuditRecords = store.audit) =>
  verifyHistory({ audit, archiveFolder: archiveFolder(), outside: [], keyId: "k", isSigned: () => true });
const tamper = (sql: string): void => {
  const database = new (driver().DatabaseSync)(file);
  database.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
  database.close();
};

describe("verifyHistory", () => {
  it("follows the chain through all archives and ignores other files in the folder", async () => {
    await rotate(20, "one");
    await rotate(10, "two");
    await rotate(5, "three");
    await writeFile(join(archiveFolder(), "audit-1-10-left-over.jsonl"), "rubbish");
    expect(await verify()).toEqual({
      records: 33,
      head: await store.audit.head(),
      archives: 3,
      checkpoints: 0,
      signedThrough: 0,
      earlierKey: [],
      gaps: [],
      findings: [],
    });
  });

  it("reports each missing archive, oldest first", async () => {
    await rotate(20, "one");
    await rotate(10, "two");
    await rm(archiveFolder(), { recursive: true });
    expect((await verify()).findings).toEqual([
      { seq: 1, reason: "the archive audit-1-10-one.jsonl with records 1 to 10 is missing" },
      { seq: 11, reason: "the archive audit-11-21-two.jsonl with records 11 to 21 is missing" },
    ]);
  });

  it("ignores a rotation record in an unverified part of the chain", async () => {
    await rotate(20, "one");
    await rotate(10, "two");
    await store.audit.addCheckpoint({ ...(await store.audit.head()), at: 1, keyId: "k", signature: "s" });
    await store.audit.append(Array.from({ length: 5 }, (_, n) => body(40 + n)));
    await rm(archiveFolder(), { recursive: true });
    const first = async () => (await verify()).findings.map(({ seq }) => seq);
    tamper("DELETE FROM audit WHERE seq = 35");
    expect(await first()).toEqual([1, 11, 35]);
    tamper("DELETE FROM audit WHERE seq = 25");
    expect(await first()).toEqual([25]);
  });

  it("writes one line per record into an archive, for any definition of a line break", async () => {
    await store.audit.append([{ ...body(31), tool_id: "a\n\r\u2028\u2029\u0085\u000b\u000c{}" }]);
    const { file: archive } = (await rotate(0, "all"))!;
    const text = await readFile(archive, "utf8");
    expect(text.trimEnd().split(/[\n\r\u2028\u2029\u0085\v\f]/)).toHaveLength(31);
    expect((await verify()).findings).toEqual([]);
  });

  it("does not follow an archive name out of the folder", async () => {
    const through = (await store.audit.read({ limit: 3 })).at(-1)!;
    await writeFile(join(folder, "secret.jsonl"), "{}\n");
    await store.audit.remove({
      after: CHAIN_START,
      through,
      rotation: {
        ...body(1),
        kind: "rotation",
        archive: "../secret.jsonl",
        archive_sha256: "x",
        first_seq: 1,
        through_seq: through.seq,
        through_hash: through.hash,
      },
    });
    expect((await verify()).findings).toEqual([
      { seq: 1, reason: "the archive ../secret.jsonl with records 1 to 3 is missing" },
    ]);
  });

  it("reports nothing when a rotation runs during verification", async () => {
    let reads = 0;
    const disturbed: AuditRecords = {
      ...store.audit,
      async read(query) {
        reads += 1;
        if (reads === 1) await rotate(10, "meanwhile");
        return await store.audit.read(query);
      },
    };
    expect((await verify(disturbed)).findings).toEqual([]);
    expect(await readdir(archiveFolder())).toHaveLength(1);
  });

  it("reports two checkpoints of one record that differ", async () => {
    const head = await store.audit.head();
    const rest = { at: 1, keyId: "k", signature: "s" };
    await store.audit.addCheckpoint({ ...head, ...rest });
    const report = await verifyHistory({
      audit: store.audit,
      archiveFolder: archiveFolder(),
      outside: [{ ...rest, seq: head.seq, hash: CHAIN_START.hash }],
      keyId: "k",
      isSigned: () => true,
    });
    expect(report.findings).toEqual([{ seq: 30, reason: "two checkpoints of this record differ" }]);
  });

  it("accepts checkpoints of an earlier key if a later checkpoint covers the chain", async () => {
    const records = await store.audit.read({});
    const sign = (seq: number, keyId: string, hash = records[seq - 1]!.hash) =>
      store.audit.addCheckpoint({ seq, hash, at: 1, keyId, signature: "s" });
    await sign(10, "old");
    await sign(20, "k");
    expect(await verify()).toMatchObject({ findings: [], earlierKey: [10], signedThrough: 20 });
    await sign(25, "old");
    expect(await verify()).toMatchObject({
      findings: [{ seq: 25, reason: "the checkpoint of the record is not signed with the current key" }],
      earlierKey: [10],
      signedThrough: 20,
    });
    await sign(30, "k");
    expect(await verify()).toMatchObject({ findings: [], earlierKey: [10, 25], signedThrough: 30 });
    await sign(10, "old", CHAIN_START.hash);
    expect((await verify()).findings).toEqual([{ seq: 10, reason: "the record differs from its checkpoint" }]);
  });

  it("reports records that are missing at the start without a rotation record", async () => {
    await rotate(20, "one");
    tamper('UPDATE audit SET body = replace(body, \'"kind":"rotation"\', \'"kind":"rotatiom"\')');
    expect((await verify()).findings.map(({ seq }) => seq)).toEqual([31]);
    tamper("UPDATE audit SET body = replace(body, 'rotatiom', 'rotation'); UPDATE audit_start SET hash = 'x'");
    expect((await verify()).findings.map(({ seq }) => seq)).toEqual([11]);
  });
});
