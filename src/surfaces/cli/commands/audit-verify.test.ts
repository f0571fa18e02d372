import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { createAuditLog } from "../../../audit/create-audit-log.js";
import type { AuditIntent, AuditOutcome } from "../../../audit/entry.js";
import { auditFiles } from "../../../audit/files.js";
import { auditOptions } from "../../../audit/options.js";
import { createStore, storeFile } from "../../../store/create-store.js";
import { rotateAudit } from "../../../store/rotate-audit.js";
import { driver } from "../../../store/sqlite/driver.js";
import { createLocalKey } from "../../../util/local-key.js";

const places: CliPlace[] = [];
const createPlace = (config: object = { servers: {} }): CliPlace => {
  const place = createCliPlace(config);
  places.push(place);
  return place;
};
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

const call = {
  request_id: "r1",
  timestamp: "2026-01-01T10:00:00.123Z",
  actor_id: "local",
  surface: "mcp",
  tool_id: "github:create_issue",
  params_hash: null,
  risk: "medium",
} as const;
const intent: AuditIntent = { ...call, kind: "intent" };
const outcome: AuditOutcome = { ...call, kind: "outcome", decision: "allowed", outcome: "ok", duration_ms: 12.345 };

/** A gateway that writes to the audit log of the test folder. */
function openGateway(place: CliPlace, file = storeFile(join(place.folder, "state"))) {
  const state = join(place.folder, "state");
  const files = auditFiles(state, file);
  const store = createStore({ file, inline: true });
  let ids = 0;
  const log = createAuditLog({
    chain: store.audit,
    prepareStore: () => store.prepare(),
    rotate: () => Promise.resolve(),
    checkpointFile: files.checkpointFile,
    key: createLocalKey(files.keyFile),
    signingKey: createLocalKey(files.signingKeyFile),
    options: () => auditOptions.parse({}),
    redact: (given) => given,
    now: () => Date.parse("2026-01-01T12:00:00.000Z"),
    newId: () => `id-${(ids += 1)}`,
    schedule: () => () => undefined,
    log: () => undefined,
    warn: () => undefined,
  });
  const rotate = async (keepRecords: number): Promise<void> => {
    ids += 1;
    const wish = { keepRecords, keepMs: 1e12, now: Date.parse(call.timestamp), id: `rotation-${ids}` };
    await rotateAudit(store.audit, { ...wish, folder: files.archiveFolder });
  };
  const close = async (): Promise<void> => {
    await log.close();
    await store.close();
  };
  return { log, files, file, rotate, close };
}

async function withRecords(place: CliPlace): Promise<ReturnType<typeof openGateway>> {
  const gateway = openGateway(place);
  await gateway.log.record(intent);
  await gateway.log.record(outcome);
  const record = (rest: Partial<AuditOutcome>): Promise<void> => gateway.log.record({ ...outcome, ...rest });
  const failed = { outcome: "error", error_code: "POLICY_DENIED", decision: "refused", duration_ms: 0.2 } as const;
  await record({ ...failed, request_id: "r2", tool_id: "files:delete", risk: "destructive" });
  const later = { timestamp: "2026-01-01T11:00:00.000Z", actor_id: "ann", surface: "cli", risk: null } as const;
  await record({ ...later, request_id: "r3", tool_id: "files:read", outcome: "tool_error" });
  await gateway.log.note({ action: "approve", subject: "apv_1", by: "ann", tool_id: "files:delete" });
  return gateway;
}
const tamper = (file: string, sql: string): void => {
  const database = new (driver().DatabaseSync)(file);
  database.exec(sql);
  database.close();
};

describe("audit --verify", () => {
  const prepared = async (rotations: readonly number[] = []) => {
    const place = createPlace();
    const gateway = await withRecords(place);
    for (const keep of rotations) await gateway.rotate(keep);
    await gateway.close();
    return { place, ...gateway };
  };

  it("reports what was checked", async () => {
    const { place } = await prepared([3, 2]);
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^✓ 7 records, 2 archives included: the hash chain is valid\.\n✓ Signed up to record 7 with the key [0-9a-f]{16} \(1 checkpoint\)\.\n$/,
    );
    expect((await place.run("mcp", "audit", "--verify", "--json")).json()).toMatchObject({
      whole: true,
      records: 7,
      head: { seq: 7 },
      archives: 2,
      checkpoints: 1,
      signed_through: 7,
      findings: [],
    });
  });

  it("reports unsigned records without failing", async () => {
    const place = createPlace();
    const gateway = openGateway(place);
    await gateway.log.record(outcome);
    const none = await place.run("mcp", "audit", "--verify");
    expect(none.exit).toBe(0);
    expect(none.stdout).toContain("! No checkpoint is signed yet");
    await gateway.log.recover();
    await gateway.log.record(outcome);
    expect((await place.run("mcp", "audit", "--verify")).stdout).toContain(
      "1 newer record is not signed until the next checkpoint.",
    );
    await gateway.close();
  });

  it("accepts a second store without signatures, whatever the first one contains", async () => {
    const { place } = await prepared([3]);
    const other = openGateway(place, join(place.folder, "other.db"));
    place.write(".anygpt/mcp-discovery.config.json", { servers: {}, store: other.file });
    const empty = await place.run("mcp", "audit", "--verify");
    expect(empty.exit).toBe(0);
    expect(empty.stdout).toContain("The audit log is empty.");
    await other.log.record(outcome);
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain("! No checkpoint is signed yet");
    expect(ran.stdout).toContain("! No record refers to the archives in");
    await other.log.recover();
    expect((await place.run("mcp", "audit", "--verify")).stdout).not.toContain("!");
    await other.close();
  });

  it("reports checkpoints of a replaced key without failing", async () => {
    const { place, files } = await prepared();
    rmSync(files.signingKeyFile);
    rmSync(files.checkpointFile);
    const later = openGateway(place);
    await later.log.record(outcome);
    await later.close();
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain("✓ Signed up to record 6");
    expect(ran.stdout).toContain("! Signed with an earlier key: 1 checkpoint up to record 5.");
    expect((await place.run("mcp", "audit", "--verify", "--json")).json()).toMatchObject({
      whole: true,
      earlier_key: [5],
      stray_archives: false,
    });
  });

  it.each([
    [
      "an edited record",
      (file: string) => tamper(file, `UPDATE audit SET body = replace(body, 'r2', 'rX') WHERE seq = 3`),
      3,
    ],
    [
      "a cut end whose checkpoints are gone",
      (file: string) => tamper(file, "DELETE FROM audit WHERE seq > 2; DELETE FROM checkpoints"),
      3,
    ],
    ["a missing checkpoint file", (file: string) => rmSync(`${file}-checkpoint.json`), 6],
    [
      "a thousand records without a checkpoint",
      (file: string) => {
        rmSync(`${file}-checkpoint.json`);
        tamper(
          file,
          `DELETE FROM checkpoints;
           WITH RECURSIVE n(seq) AS (SELECT 6 UNION ALL SELECT seq + 1 FROM n WHERE seq < 1001)
           INSERT INTO audit (seq, hash, body) SELECT seq, 'x', '{}' FROM n`,
        );
      },
      1,
    ],
    [
      "records that were lost after the last checkpoint",
      (file: string) => {
        const mark = readFileSync(`${file}-newest.json`, "utf8");
        writeFileSync(`${file}-newest.json`, mark.replace('"seq":5', '"seq":7'));
      },
      6,
    ],
    ["an unreadable checkpoint file", (file: string) => writeFileSync(`${file}-checkpoint.json`, "{"), 6],
    [
      "a signing key that was replaced",
      (file: string) => writeFileSync(join(file, "../audit-signing.key"), Buffer.alloc(32)),
      5,
    ],
  ])("names %s", async (_name, act, seq) => {
    const { place, file } = await prepared();
    act(file);
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(3);
    expect(ran.stdout).toContain(`The first invalid record is ${seq}.`);
    expect((await place.run("mcp", "audit", "--verify", "--json")).json()).toMatchObject({ whole: false });
  });

  it("reports a gap that a gateway has recorded, without failing, also from an archive", async () => {
    const { place, file } = await prepared();
    tamper(file, "DELETE FROM audit WHERE seq > 3; DELETE FROM checkpoints");
    rmSync(`${file}-checkpoint.json`);
    const later = openGateway(place);
    await later.log.record(outcome);
    await later.rotate(1);
    await later.close();
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(
      /! Record 4 marks a gap: the earlier records 4 to 5 were missing at 2026-01-01T10:00:00/,
    );
    expect((await place.run("mcp", "audit", "--verify", "--json")).json()).toMatchObject({
      whole: true,
      archives: 1,
      gaps: [{ recorded_by: 4, first: 4, through: 5, timestamp: outcome.timestamp }],
    });
  });

  it("names a missing, a changed and a swapped archive", async () => {
    const { place, files } = await prepared([3, 2]);
    const [one, two] = readdirSync(files.archiveFolder)
      .sort()
      .map((name) => join(files.archiveFolder, name)) as [string, string];
    const [first, second] = [readFileSync(one), readFileSync(two)];
    const verify = async () => (await place.run("mcp", "audit", "--verify")).stdout;
    rmSync(one);
    expect(await verify()).toMatch(/Record 1: the archive audit-1-2-\S+ with records 1 to 2 is missing\./);
    writeFileSync(one, first);
    appendFileSync(one, "\n");
    expect(await verify()).toMatch(/Record 1: the content of the archive \S+ was changed\./);
    writeFileSync(one, second);
    writeFileSync(two, first);
    expect(await verify()).toMatch(/The first invalid record is [13]\./);
    writeFileSync(one, first);
    writeFileSync(two, second);
    expect(await verify()).toMatch(/^✓ 7 records/);
  });
});
