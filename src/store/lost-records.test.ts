import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditBody, AuditMark } from "./audit-records.js";
import { createStore } from "./create-store.js";
import { newestRecordFile, readNewestRecord } from "./newest-record.js";
import { driver } from "./sqlite/driver.js";
import type { Store } from "./store.js";

const body = (n: number): AuditBody => ({
  kind: "outcome",
  request_id: `r${n}`,
  timestamp: new Date(n).toISOString(),
});

let folder: string;
let file: string;
const opened: Store[] = [];
const open = (): Store => {
  const store = createStore({ file, inline: true });
  opened.push(store);
  return store;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lost-"));
  file = join(folder, "store.db");
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** A store with five records. Returns its chain. */
async function writeFive() {
  const store = open();
  const marks = await store.audit.append([1, 2, 3, 4, 5].map(body));
  await store.close();
  return marks;
}
const tamper = (sql: string): void => {
  const database = new (driver().DatabaseSync)(file);
  database.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
  database.close();
};
/** The files of the database; the write-ahead log remains after the last process has closed it. */
const PARTS = ["", "-wal", "-shm"];
const bodiesOf = async (store: Store): Promise<Record<string, unknown>[]> =>
  (await store.audit.read({})).map((record) => JSON.parse(record.body) as Record<string, unknown>);

describe("the file with the newest record", () => {
  it("names the last record of each transaction, in one line of constant length", async () => {
    const store = open();
    const written = newestRecordFile(file);
    for (const append of ["append", "appendSoon", "appendMissing"] as const) {
      const marks = await store.audit[append]([body(append.length), body(append.length + 1)]);
      expect(readNewestRecord(written)).toEqual(marks.at(-1));
    }
    expect(await readFile(written, "utf8")).toMatch(/^\{"seq":6,"hash":"[0-9a-f]{64}"\} +\n$/);
    expect(await stat(written)).toMatchObject({ size: 128 });
    expect((await stat(written)).mode & 0o777).toBe(0o600);
  });

  it("is not changed by reads, or by records that were not written", async () => {
    const store = open();
    const [mark] = await store.audit.append([body(1)]);
    await store.audit.read({});
    const broken = { ...body(2), timestamp: (() => "no JSON") as unknown as string };
    await expect(store.audit.append([broken])).rejects.toThrow("The store");
    expect(readNewestRecord(newestRecordFile(file))).toEqual(mark);
  });

  it.each(["", "{", '{"seq":1}', '{"seq":"5","hash":"x"}', `{"seq":1.5,"hash":"${"0".repeat(64)}"}`])(
    "counts as missing if its content is %j",
    async (content) => {
      await writeFive();
      await writeFile(newestRecordFile(file), content);
      const store = open();
      await store.audit.append([body(6)]);
      expect((await bodiesOf(store)).map(({ kind }) => kind)).not.toContain("gap");
      expect(readNewestRecord(newestRecordFile(file))?.seq).toBe(6);
    },
  );
});

describe("a loss of the newest records", () => {
  it("is recorded before the first new record, once", async () => {
    const lost = (await writeFive()).at(-1)!;
    tamper("DELETE FROM audit WHERE seq > 3");
    const store = open();
    expect((await store.audit.append([body(6)])).map(({ seq }) => seq)).toEqual([5]);
    const gap = {
      kind: "gap",
      request_id: `gap-5-${lost.hash.slice(0, 16)}`,
      timestamp: body(6).timestamp,
      first_seq: 4,
      through_seq: 5,
      through_hash: lost.hash,
    };
    expect(await bodiesOf(store)).toEqual([body(1), body(2), body(3), gap, body(6)]);
    await store.audit.append([body(7)]);
    const again = open();
    await again.audit.append([body(8)]);
    expect((await bodiesOf(store)).filter(({ kind }) => kind === "gap")).toHaveLength(1);
  });

  it("is recorded once if the process is killed before it updates the file", async () => {
    await writeFive();
    const newest = newestRecordFile(file);
    await copyFile(newest, `${newest}.old`);
    tamper("DELETE FROM audit WHERE seq > 3");
    await open().audit.append([body(6)]);
    await copyFile(`${newest}.old`, newest);
    const store = open();
    await store.audit.append([body(7)]);
    expect((await bodiesOf(store)).filter(({ kind }) => kind === "gap")).toHaveLength(1);
  });

  it.each([
    ["the newest record was replaced", "UPDATE audit SET hash = hex(randomblob(32)) WHERE seq = 5", 5],
    ["all records were deleted", "DELETE FROM audit", 1],
  ])("is recorded if %s", async (_, sql, first) => {
    await writeFive();
    tamper(sql);
    const store = open();
    await store.audit.append([body(6)]);
    const gaps = (await bodiesOf(store)).filter(({ kind }) => kind === "gap");
    expect(gaps).toMatchObject([{ first_seq: first, through_seq: 5 }]);
  });

  it("is recorded if the store was replaced by an older copy", async () => {
    const store = open();
    await store.audit.append([body(1)]);
    await store.close();
    for (const end of PARTS) await copyFile(`${file}${end}`, join(folder, `backup${end}`));
    const later = open();
    await later.audit.append([body(2), body(3)]);
    await later.close();
    for (const end of PARTS) await copyFile(join(folder, `backup${end}`), `${file}${end}`);
    const restored = open();
    await restored.audit.append([body(4)]);
    expect(await bodiesOf(restored)).toMatchObject([body(1), { kind: "gap", first_seq: 2, through_seq: 3 }, body(4)]);
  });

  it("is not recorded after a normal end, after a rotation, or while other processes write", async () => {
    await writeFive();
    const two = [open(), open()];
    for (let n = 0; n < 20; n += 1) await two[n % 2]!.audit.append([body(n)]);
    const [{ seq, hash }] = (await two[0]!.audit.read({ after: 24, limit: 1 })) as unknown as readonly [AuditMark];
    const after = await two[0]!.audit.start();
    await two[0]!.audit.remove({ after, through: { seq, hash }, rotation: { ...body(30), kind: "rotation" } });
    for (const store of [open(), open()]) await store.audit.append([body(31)]);
    expect((await bodiesOf(two[0]!)).map(({ kind }) => kind)).toEqual(["rotation", "outcome", "outcome"]);
  });
});
