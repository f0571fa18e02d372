import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseArchive } from "./audit-archives.js";
import type { AuditBody, AuditQuery, AuditRecord, AuditRecords } from "./audit-records.js";
import { createStore } from "./create-store.js";
import { rotateAudit } from "./rotate-audit.js";
import type { Store } from "./store.js";
import { verifyHistory } from "./verify-history.js";

const body = (n: number): AuditBody => ({
  kind: "outcome",
  request_id: `r${n}`,
  timestamp: new Date(n).toISOString(),
});

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rotate-"));
  store = createStore({ file: join(folder, "store.db"), inline: true });
  await store.audit.append(Array.from({ length: 1500 }, (_, n) => body(n)));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const archiveFolder = (): string => join(folder, "audit");
const rotate = (audit: AuditRecords, keepRecords: number, id: string) =>
  rotateAudit(audit, { folder: archiveFolder(), now: 2000, id, keepRecords, keepMs: 1e12 });
const verify = () =>
  verifyHistory({ audit: store.audit, archiveFolder: archiveFolder(), outside: [], keyId: "k", isSigned: () => true });

/** Wraps the records and runs a callback before each read. */
const onRead = (act: (read: number, query: AuditQuery) => Promise<unknown>): AuditRecords => {
  let reads = 0;
  return {
    ...store.audit,
    async read(query): Promise<readonly AuditRecord[]> {
      reads += 1;
      await act(reads, query);
      return await store.audit.read(query);
    },
  };
};

describe("rotateAudit", () => {
  it.each([1, 2, 3, 4, 5, 6])(
    "keeps the history complete when another rotation runs before its read %i",
    async (at) => {
      const slow = onRead(async (read) => (read === at ? await rotate(store.audit, 900, "fast") : undefined));
      await rotate(slow, 300, "slow");
      expect((await verify()).findings).toEqual([]);
      expect(await readdir(archiveFolder())).toEqual(["audit-1-600-fast.jsonl"]);
    },
  );

  it("keeps the history complete when another rotation runs right before it removes records", async () => {
    const late: AuditRecords = {
      ...store.audit,
      async remove(removal) {
        await rotate(store.audit, 900, "fast");
        return await store.audit.remove(removal);
      },
    };
    expect(await rotate(late, 300, "slow")).toBeUndefined();
    expect((await verify()).findings).toEqual([]);
    expect(await readdir(archiveFolder())).toEqual(["audit-1-600-fast.jsonl"]);
  });

  it("reads and writes a few records at a time and yields to the event loop in between", async () => {
    let turns = 0;
    const limits = new Set<number | undefined>();
    const turnsAtRead: number[] = [];
    const spin = (): NodeJS.Immediate => setImmediate(() => ((turns += 1), (turning = spin())));
    let turning = spin();
    const watched = onRead(async (_read, { limit }) => {
      limits.add(limit);
      turnsAtRead.push(turns);
    });
    const { file } = (await rotate(watched, 300, "one"))!;
    clearImmediate(turning);
    expect([...limits]).toEqual([100]);
    expect(new Set(turnsAtRead).size).toBe(turnsAtRead.length);
    const records = parseArchive(await readFile(file, "utf8"));
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 1200 }, (_, n) => n + 1));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await verify()).findings).toEqual([]);
  });

  it("leaves no file behind when it fails", async () => {
    const failing = onRead((read) => (read === 3 ? Promise.reject(new Error("no")) : Promise.resolve()));
    await expect(rotate(failing, 300, "one")).rejects.toThrow("no");
    expect(await readdir(archiveFolder())).toEqual([]);
    expect(await store.audit.start()).toMatchObject({ seq: 0 });
  });
});
