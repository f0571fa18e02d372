import { appendFile, mkdir, mkdtemp, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditFiles, type AuditRecord, createAuditLog } from "./audit-log.js";

const entry = (rest: Partial<AuditRecord> = {}): AuditRecord => ({
  request_id: "r",
  timestamp: "2026-01-01T00:00:00.000Z",
  actor_id: "local",
  surface: "mcp",
  tool_id: "a:b",
  params_hash: "h",
  decision: "allowed",
  outcome: "ok",
  duration_ms: 1,
  ...rest,
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "audit-"));
});
const opened: ReturnType<typeof createAuditLog>[] = [];
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
});
const open = (file?: string, state = "state") => {
  const log = createAuditLog(auditFiles(join(folder, state), file));
  opened.push(log);
  return log;
};
const lines = async (file = join(folder, "state", "audit.jsonl")) =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);

describe("audit log", () => {
  it("has the record on disk when the promise resolves", async () => {
    await open().record(entry());
    expect(await lines()).toEqual([entry()]);
  });

  it("writes one line per record, whatever is in it", async () => {
    const log = open();
    const hostile = 'a\n{"forged":1}\r\u2028\u0085\u001b[31m\0';
    await Promise.all([log.record(entry({ tool_id: hostile })), log.record(entry())]);
    const read = await lines();
    expect(read).toHaveLength(2);
    expect(read[0]?.tool_id).toBe(hostile);
  });

  it("keeps every record of concurrent writers on one file", async () => {
    const logs = [open(), open(), open(), open()];
    const ids = Array.from({ length: 400 }, (_, n) => `r${n}`);
    await Promise.all(ids.map((id, n) => logs[n % 4]!.record(entry({ request_id: id }))));
    const read = await lines();
    expect(read.map(({ request_id }) => request_id).sort()).toEqual([...ids].sort());
  });

  it("touches no file before the first record", async () => {
    await open().close();
    await expect(stat(join(folder, "state"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is for its owner alone", async () => {
    const log = open();
    await log.record(entry());
    await log.hashParams({});
    for (const file of ["audit.jsonl", "audit.key"]) {
      expect((await stat(join(folder, "state", file))).mode & 0o777).toBe(0o600);
    }
  });

  it("fails when the record cannot be written, and recovers without a restart", async () => {
    const file = join(folder, "in-the-way");
    await mkdir(file);
    const log = open(file);
    await expect(log.record(entry())).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: expect.stringContaining("EISDIR"),
    });
    await rmdir(file);
    await log.record(entry());
    expect(await lines(file)).toHaveLength(1);
  });

  it("starts a new line after one that was cut short", async () => {
    const first = open();
    await first.record(entry());
    const file = join(folder, "state", "audit.jsonl");
    await appendFile(file, '{"request_id":"torn');
    await open().record(entry({ request_id: "next" }));
    const written = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(written).toHaveLength(3);
    expect(JSON.parse(written[2] ?? "")).toMatchObject({ request_id: "next" });
  });

  it("tells beforehand that nothing could be recorded", async () => {
    const file = join(folder, "a-folder");
    await mkdir(file);
    await expect(open(file).prepare()).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    await expect(open().prepare()).resolves.toBeUndefined();
  });

  it("makes a whole key even if an earlier attempt left half of one", async () => {
    await mkdir(join(folder, "state"));
    await writeFile(join(folder, "state", "audit.key"), "short");
    await Promise.all(Array.from({ length: 8 }, () => open().hashParams({ a: 1 })));
    expect(await open().hashParams({ a: 1 })).toBe(await open().hashParams({ a: 1 }));
    expect((await readFile(join(folder, "state", "audit.key"))).length).toBe(32);
  });

  it("lets all of several processes that start at once use the same key", async () => {
    const hashes = await Promise.all(Array.from({ length: 8 }, () => open().hashParams({ a: 1 })));
    expect(new Set(hashes).size).toBe(1);
  });

  it("hashes equal parameters alike, across processes, and not without the key", async () => {
    const [ours, theirs] = [open(), open()];
    const hash = await ours.hashParams({ a: 1, b: [2] });
    expect(await theirs.hashParams({ b: [2], a: 1 })).toBe(hash);
    expect(await ours.hashParams({ a: 2 })).not.toBe(hash);
    const stranger = open(undefined, "other");
    expect(await stranger.hashParams({ a: 1, b: [2] })).not.toBe(hash);
  });
});
