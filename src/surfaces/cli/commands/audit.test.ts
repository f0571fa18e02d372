import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran } from "../../../../test/support/cli.js";
import { createAuditLog } from "../../../audit/create-audit-log.js";
import type { AuditIntent, AuditOutcome } from "../../../audit/entry.js";
import { auditFiles } from "../../../audit/files.js";
import { auditOptions } from "../../../audit/options.js";
import { createStore, storeFile } from "../../../store/create-store.js";
import { rotateAudit } from "../../../store/rotate-audit.js";
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

const seqs = (ran: Ran): number[] => (ran.json() as { records: { seq: number }[] }).records.map(({ seq }) => seq);

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

  it("prints records as objects with their position in the hash chain", async () => {
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
    [[], /^The audit log is empty\.\n$/],
    [["--verify"], /^The audit log is empty\.\n$/],
    [["--json"], /^\{\n {2}"records": \[\],\n {2}"head": \{\n {4}"seq": 0,/],
  ])("with %j reports an empty log if there is no store, and creates none", async (argv, expected) => {
    const place = createPlace();
    const ran = await place.run("mcp", "audit", ...argv);
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(expected);
    expect(existsSync(join(place.folder, "state", "store.db"))).toBe(false);
    expect(existsSync(join(place.folder, "state", "audit-signing.key"))).toBe(false);
  });

  it("reports missing matches, calls without an outcome, and archives", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    expect((await place.run("mcp", "audit", "--actor", "bob")).stdout).toBe("No record matches.\n");
    await gateway.log.record({ ...intent, request_id: "r9" });
    await gateway.rotate(4);
    const { stderr } = await place.run("mcp", "audit");
    expect(stderr).toContain("1 call without a recorded outcome so far. Add --kind intent to see it.");
    expect(stderr).toContain("Records up to 2 are in archives");
    await gateway.close();
  });

  it("sanitizes untrusted text", async () => {
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
    [["--since", "yesterday"], '--since "yesterday" is not a valid time.'],
    [["--since", "2026-13-45"], '--since "2026-13-45" is not a valid time.'],
    [["--until", "99999999w"], '--until "99999999w" is not a valid time.'],
    [["--since", "1h", "--until", "2h"], "--since must be earlier than --until."],
    [["--kind", "call"], '--kind "call" is not a valid value.'],
    [["--outcome", "failed"], '--outcome "failed" is not a valid value.'],
    [["--verify", "--tool", "a:b"], "--verify and --tool cannot be used together."],
    [["--verify", "--limit", "3"], "--verify and --limit cannot be used together."],
    [["--export", "x", "--follow"], "--export and --follow cannot be used together."],
    [["--follow", "--until", "1h"], "--follow and --until cannot be used together."],
    [["--force"], "--force can only be used with --export."],
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
    expect(ran.stdout).toBe("The audit log is empty.\n");
    expect(ran.stderr).toContain("This is the audit log of the default store.");
  });
});

describe("audit --follow", () => {
  const seqIn = (row: string): unknown => (JSON.parse(row) as { seq: number }).seq;
  it.each([
    [[], "files:late", (row: string) => row.slice(0, 4), ["TIME", "2026", "2026"]],
    [["--json"], '"tool_id":"files:late"', seqIn, [5, 6]],
  ])("with %j shows existing and new records until it is interrupted", async (argv, late, toShort, expected) => {
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
  it("writes all records, including archives, to a file that only the owner can read", async () => {
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

  it("applies filters to archives too", async () => {
    const place = createPlace();
    const gateway = await withRecords(place);
    await gateway.rotate(2);
    await gateway.close();
    const argv = ["--export", "out.jsonl", "--tool", "files:*", "--since", "2026-01-01", "--until", "2026-01-02"];
    expect((await place.run("mcp", "audit", ...argv)).stdout).toContain("3 records written to");
  });

  it("overwrites a file only with --force", async () => {
    const place = createPlace();
    await (await withRecords(place)).close();
    const file = place.write("out.jsonl", "mine");
    const refused = await place.run("mcp", "audit", "--export", "out.jsonl");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain(`${file} already exists.`);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await place.run("mcp", "audit", "--export", "out.jsonl", "--force")).exit).toBe(0);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(6);
    expect((await place.run("mcp", "audit", "--export", "no/such/folder")).stderr).toContain(
      "could not be written (ENOENT)",
    );
  });

  it("reports a missing archive", async () => {
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
