import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditBody, AuditRecords } from "../../store/audit-records.js";
import { createStore } from "../../store/create-store.js";
import { rotateAudit } from "../../store/rotate-audit.js";
import type { Store } from "../../store/store.js";
import { exportAudit } from "./export-audit.js";
import type { AuditFilter } from "./records.js";

const body = (n: number): AuditBody => ({
  kind: "outcome",
  request_id: `r${n}`,
  timestamp: new Date(n).toISOString(),
  tool_id: n % 500 === 0 ? "a:rare" : "a:common",
});
const everything: AuditFilter = { query: {}, accepts: () => true };
const rare: AuditFilter = { query: { tool: "a:rare" }, accepts: () => true };

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
  store = createStore({ file: join(folder, "store.db"), inline: true });
  await store.audit.append(Array.from({ length: 2500 }, (_, n) => body(n + 1)));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const archiveFolder = (): string => join(folder, "audit");
const rotate = (keepRecords: number, id: string) =>
  rotateAudit(store.audit, { folder: archiveFolder(), now: 3000, id, keepRecords, keepMs: 1e12 });
const exported = async (audit: AuditRecords, filter: AuditFilter): Promise<number[]> => {
  const file = join(folder, "out.jsonl");
  expect(await exportAudit({ audit, archiveFolder: archiveFolder(), filter, file, isForced: true })).toMatchObject({
    missing: [],
  });
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
};

describe("the export", () => {
  it.each([
    [1, "everything", everything],
    [3, "everything", everything],
    [5, "everything", everything],
    [6, "everything", everything],
    [7, "everything", everything],
    [8, "everything", everything],
    [5, "matching records", rare],
    [6, "matching records", rare],
  ] as const)(
    "contains every record if records move into archives before its read %i of %s",
    async (at, _name, filter) => {
      await rotate(2300, "one");
      const expected = Array.from({ length: 2500 }, (_, n) => n + 1).filter(
        (n) => filter === everything || n % 500 === 0,
      );
      let reads = 0;
      const disturbed: AuditRecords = {
        ...store.audit,
        async read(query) {
          reads += 1;
          if (reads === at) await rotate(1200, "two");
          if (reads === at + 1) await rotate(100, "three");
          return await store.audit.read(query);
        },
      };
      const found = await exported(disturbed, filter);
      expect(found.filter((seq) => seq <= 2500)).toEqual(expected);
      expect(reads).toBeGreaterThanOrEqual(at);
    },
  );
});
