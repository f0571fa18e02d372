import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran } from "../../../../test/support/cli.js";
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

/** A gateway that works on the record of the place. */
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

const seqs = (ran: Ran): number[] => (ran.json() as { records: { seq: number }[] }).records.map(({ seq }) => seq);
const tamper = (file: string, sql: string): void => {
  const database = new (driver().DatabaseSync)(file);
  database.exec(sql);
  database.close();
};

describe("audit", () => {
  it("shows a line for each record, the newest last", async () => {
    const place = createPlace();
    await (await withRecords(place)).close();
    const ran = await place.run("mcp", "audit");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toBe(
      [
        "TIME                  ACTOR  SURFACE  TOOL                        RISK         OUTCOME     CODE           MS",
        "2026-01-01T10:00:00Z  local  mcp      github:create_issue         medium       ok                         12",
        "2026-01-01T10:00:00Z  local  mcp      files:delete                destructive  error       POLICY_DENIED  0",
        "2026-01-01T11:00:00Z  ann    cli      files:read                               tool_error                 12",
        "2026-01-01T12:00:00Z  ann             approve apv_1 files:delete               note",
        "",
      ].join("\n"),
    );
  });

  it("cuts tools to fit a terminal", async () => {
    const place = createPlace();
    const gateway = openGateway(place);
    await gateway.log.record({ ...outcome, tool_id: `github:${"very_".repeat(30)}long` });
    await gateway.close();
    const ran = await place.runWith({ isTerminal: true, columns: 90, env: { NO_COLOR: "1" } }, "mcp", "audit");
    expect(ran.stdout).toContain("github:very_very_");
    expect(ran.stdout).toContain("…");
    for (const row of ran.stdout.split("\n")) expect(row.length).toBeLessThanOrEqual(90);
  });

  it.each([
    [[], [2, 3, 4, 5]],
    [
      ["--kind", "all"],
      [1, 2, 3, 4, 5],
    ],
    [["--kind", "intent"], [1]],
    [["--kind", "note"], [5]],
    [
      ["--request", "r1"],
      [1, 2],
    ],
    [["--tool", "files:read"], [4]],
    [
      ["--tool", "files:*"],
      [3, 4, 5],
    ],
    [
      ["--tool", "*DELETE*"],
      [3, 5],
    ],
    [
      ["--actor", "ann"],
      [4, 5],
    ],
    [["--outcome", "error"], [3]],
    [
      ["--since", "2026-01-01T10:30:00Z"],
      [4, 5],
    ],
    [["--since", "2026-01-01 10:30", "--until", "2026-01-01T12:30:00+01:00"], [4]],
    [["--since", "1h"], []],
    [
      ["--until", "1h"],
      [2, 3, 4, 5],
    ],
    [
      ["--limit", "2"],
      [4, 5],
    ],
    [["--limit", "1", "--tool", "g*"], [2]],
  ])("%j gives %j", async (argv, expected) => {
    const place = createPlace();
    await (await withRecords(place)).close();
    const ran = await place.run("mcp", "audit", "--json", ...argv);
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(seqs(ran)).toEqual(expected);
    expect(ran.json()).toMatchObject({ head: { seq: 5 }, open_intents: 0 });
  });

  it("gives records as objects with their place in the chain", async () => {
    const place = createPlace();
    await (await withRecords(place)).close();
    const { records } = (await place.run("mcp", "audit", "--json", "--request", "r1")).json() as { records: object[] };
    expect(records[1]).toEqual({ ...outcome, seq: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  });

  it("finds the newest that match among thousands", async () => {
    const place = createPlace();
    const gateway = openGateway(place);
    const record = (tool_id: string) => gateway.log.record({ ...outcome, tool_id });
    await Promise.all([record("x:rare"), ...Array.from({ length: 2500 }, () => record("x:common"))]);
    await gateway.close();
    expect(seqs(await place.run("mcp", "audit", "--json", "--tool", "*:rare"))).toEqual([1]);
  });

  it.each([
    [[], /^Nothing is on record yet\.\n$/],
    [["--verify"], /^Nothing is on record yet\.\n$/],
    [["--json"], /^\{\n {2}"records": \[\],\n {2}"head": \{\n {4}"seq": 0,/],
  ])("with %j says so where there is no store, and makes none", async (argv, expected) => {
    const place = createPlace();
    const ran = await place.run("mcp", "audit", ...argv);
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(expected);
    expect(existsSync(join(place.folder, "state", "store.db"))).toBe(false);
    expect(existsSync(join(place.folder, "state", "audit-signing.key"))).toBe(false);
  });

  it("tells that nothing matches, of calls without an outcome, and of archives", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    expect((await place.run("mcp", "audit", "--actor", "bob")).stdout).toBe("No record matches.\n");
    await gateway.log.record({ ...intent, request_id: "r9" });
    await gateway.rotate(4);
    const { stderr } = await place.run("mcp", "audit");
    expect(stderr).toContain("1 call sent and without an outcome yet");
    expect(stderr).toContain("Records up to 2 lie in archives");
    await gateway.close();
  });

  it("shows what strangers wrote as what it is", async () => {
    const place = createPlace();
    const gateway = openGateway(place);
    await gateway.log.record({
      ...outcome,
      tool_id: "a:\n2026 forged\t\u001b[31m\u2028\u202e",
      actor_id: "\r\n\u0085",
    });
    await gateway.close();
    const ran = await place.run("mcp", "audit");
    expect(ran.stdout.split("\n")).toHaveLength(3);
    expect(ran.stdout).toContain("a:\\n2026 forged\\t\\u001b[31m\\u2028\\u202e");
    const { stdout } = await place.run("mcp", "audit", "--json");
    for (const character of ["\u001b", "\u2028", "\u202e", "\u0085"]) expect(stdout).not.toContain(character);
  });

  it.each([
    [["--since", "yesterday"], '--since "yesterday" is no time.'],
    [["--since", "2026-13-45"], '--since "2026-13-45" is no time.'],
    [["--until", "99999999w"], '--until "99999999w" is no time.'],
    [["--since", "1h", "--until", "2h"], "--since is not before --until."],
    [["--kind", "call"], '--kind "call" is not known.'],
    [["--outcome", "failed"], '--outcome "failed" is not known.'],
    [["--verify", "--tool", "a:b"], "--verify and --tool do not go together."],
    [["--verify", "--limit", "3"], "--verify and --limit do not go together."],
    [["--export", "x", "--follow"], "--export and --follow do not go together."],
    [["--follow", "--until", "1h"], "--follow and --until do not go together."],
    [["--force"], "--force is given without --export."],
    [["--limit", "0"], "Option '--limit <n>' argument '0' is invalid."],
  ])("refuses %j", async (argv, message) => {
    const ran = await createPlace().run("mcp", "audit", ...argv);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain(message);
  });

  it("reads the store that the configuration names, and the usual one when that is broken", async () => {
    const place = createPlace({ servers: {}, store: "../elsewhere.db" });
    const gateway = openGateway(place, join(place.folder, "elsewhere.db"));
    await gateway.log.record(outcome);
    await gateway.close();
    expect(seqs(await place.run("mcp", "audit", "--json"))).toEqual([1]);
    expect((await place.run("mcp", "audit", "--verify")).exit).toBe(0);
    place.write(".anygpt/mcp-discovery.config.json", { store: 7 });
    const ran = await place.run("mcp", "audit");
    expect(ran.stdout).toBe("Nothing is on record yet.\n");
    expect(ran.stderr).toContain("This is the record of the usual store.");
  });
});

describe("audit --follow", () => {
  const seqIn = (row: string): unknown => (JSON.parse(row) as { seq: number }).seq;
  it.each([
    [[], "files:late", (row: string) => row.slice(0, 4), ["TIME", "2026", "2026"]],
    [["--json"], '"tool_id":"files:late"', seqIn, [5, 6]],
  ])("with %j shows what is there and what comes, until it is stopped", async (argv, late, toShort, expected) => {
    const place = createPlace();
    const gateway = await withRecords(place);
    const stop = new AbortController();
    let isFirst = true;
    const onOutput = (text: string): void => {
      if (isFirst) void gateway.log.record({ ...outcome, request_id: "r7", tool_id: "files:late" });
      isFirst = false;
      if (text.includes(late)) stop.abort();
    };
    const options = { signal: stop.signal, onOutput };
    const ran = await place.runWith(options, "mcp", "audit", "--follow", "--limit", "1", ...argv);
    await gateway.close();
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout.trimEnd().split("\n").map(toShort)).toEqual(expected);
  });
});

describe("audit --export", () => {
  it("writes the whole history, archives included, for its owner alone", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    await gateway.rotate(3);
    await gateway.rotate(2);
    await gateway.close();
    const ran = await place.run("mcp", "audit", "--export", "out.jsonl", "--json");
    const file = join(place.folder, "out.jsonl");
    expect(ran.json()).toEqual({ file, records: 7, missing: [] });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const records = lines.map((row) => JSON.parse(row) as { seq: number; kind: string });
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(records.map(({ kind }) => kind)).toContain("intent");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder).filter((name) => name.includes("out"))).toEqual(["out.jsonl"]);
  });

  it("takes filters for archives too", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    await gateway.rotate(2);
    await gateway.close();
    const argv = ["--export", "out.jsonl", "--tool", "files:*", "--since", "2026-01-01", "--until", "2026-01-02"];
    expect((await place.run("mcp", "audit", ...argv)).stdout).toContain("3 records written to");
  });

  it("replaces a file only when told to", async () => {
    const place = createPlace();
    await (await withRecords(place)).close();
    const file = place.write("out.jsonl", "mine");
    const refused = await place.run("mcp", "audit", "--export", "out.jsonl");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain(`${file} exists already.`);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await place.run("mcp", "audit", "--export", "out.jsonl", "--force")).exit).toBe(0);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(6);
    expect((await place.run("mcp", "audit", "--export", "no/such/folder")).stderr).toContain(
      "could not be written (ENOENT)",
    );
  });

  it("tells of an archive that is missing", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    await gateway.rotate(2);
    await gateway.close();
    rmSync(gateway.files.archiveFolder, { recursive: true });
    const ran = await place.run("mcp", "audit", "--export", "out.jsonl");
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toContain("audit-1-3-rotation-");
  });
});

describe("audit --verify", () => {
  const prepared = async (rotations: readonly number[] = []) => {
    const place = createPlace();
    const gateway = await withRecords(place);
    for (const keep of rotations) await gateway.rotate(keep);
    await gateway.close();
    return { place, ...gateway };
  };

  it("says what was checked", async () => {
    const { place } = await prepared([3, 2]);
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^✓ 7 records, 2 archives included: each follows from the one before it\.\n✓ Signed up to record 7 with the key [0-9a-f]{16} \(1 checkpoint\)\.\n$/,
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

  it("tells of records that wait for a checkpoint, and is content", async () => {
    const place = createPlace();
    const gateway = openGateway(place);
    await gateway.log.record(outcome);
    const none = await place.run("mcp", "audit", "--verify");
    expect(none.exit).toBe(0);
    expect(none.stdout).toContain("! No checkpoint was signed yet");
    await gateway.log.recover();
    await gateway.log.record(outcome);
    expect((await place.run("mcp", "audit", "--verify")).stdout).toContain("The 1 record after it wait");
    await gateway.close();
  });

  it("is content with a second store that was not signed yet, whatever the first one has beside it", async () => {
    const { place } = await prepared([3]);
    const other = openGateway(place, join(place.folder, "other.db"));
    place.write(".anygpt/mcp-discovery.config.json", { servers: {}, store: other.file });
    const empty = await place.run("mcp", "audit", "--verify");
    expect(empty.exit).toBe(0);
    expect(empty.stdout).toContain("Nothing is on record yet.");
    await other.log.record(outcome);
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain("! No checkpoint was signed yet");
    expect(ran.stdout).toContain("! No record tells of the archives in");
    await other.log.recover();
    expect((await place.run("mcp", "audit", "--verify")).stdout).not.toContain("!");
    await other.close();
  });

  it("tells of checkpoints of a key that was replaced, and is content", async () => {
    const { place, files } = await prepared();
    rmSync(files.signingKeyFile);
    rmSync(files.checkpointFile);
    const later = openGateway(place);
    await later.log.record(outcome);
    await later.close();
    const ran = await place.run("mcp", "audit", "--verify");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain("✓ Signed up to record 6");
    expect(ran.stdout).toContain("! 1 checkpoint up to record 5 signed with an earlier key");
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
    expect(ran.stdout).toContain(`the first bad record is ${seq}.`);
    expect((await place.run("mcp", "audit", "--verify", "--json")).json()).toMatchObject({ whole: false });
  });

  it("names a missing, a changed and a swapped archive", async () => {
    const { place, files } = await prepared([3, 2]);
    const [one, two] = readdirSync(files.archiveFolder)
      .sort()
      .map((name) => join(files.archiveFolder, name)) as [string, string];
    const [first, second] = [readFileSync(one), readFileSync(two)];
    const verify = async () => (await place.run("mcp", "audit", "--verify")).stdout;
    rmSync(one);
    expect(await verify()).toMatch(/Record 1: its archive audit-1-2-\S+ is missing, with all up to 2\./);
    writeFileSync(one, first);
    appendFileSync(one, "\n");
    expect(await verify()).toMatch(/Record 1: its archive \S+ is not the file that was written\./);
    writeFileSync(one, second);
    writeFileSync(two, first);
    expect(await verify()).toMatch(/the first bad record is [13]\./);
    writeFileSync(one, first);
    writeFileSync(two, second);
    expect(await verify()).toMatch(/^✓ 7 records/);
  });
});
