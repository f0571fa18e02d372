import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bodies, checkpointOf, intent, NOW, outcome, setUpAuditLogs } from "../../test/support/audit-logs.js";
import { createLocalKey } from "../util/local-key.js";
import type { AuditChain, ChainBody, Mark } from "./chain.js";
import type { AuditLog } from "./create-audit-log.js";

const { folder, file, open, tamper } = setUpAuditLogs();

describe("record", () => {
  it("is durable when the promise resolves", async () => {
    const one = open();
    await one.log.record(outcome());
    expect(await bodies(one)).toEqual([JSON.parse(JSON.stringify(outcome()))]);
  });

  it("passes the record to the store synchronously, so that it shares a disk sync with other writes of the caller", () => {
    const appended: unknown[] = [];
    const chain = {
      ...open().store.audit,
      append: (all: readonly unknown[]) => (appended.push(...all), Promise.resolve([])),
    };
    void open({ chain }).log.record(outcome());
    expect(appended).toHaveLength(1);
  });

  it.each<[string, "every" | "risky", Parameters<AuditLog["record"]>[0], boolean]>([
    ["any outcome, with sync every", "every", outcome({ risk: "low" }), true],
    ["no outcome of low risk, with sync risky", "risky", outcome({ risk: "low" }), false],
    ["an outcome of medium risk", "risky", outcome({ risk: "medium" }), true],
    ["an outcome with an unknown risk", "risky", outcome({ risk: null }), true],
    ["an intent", "risky", { ...intent("r1"), risk: "low" }, true],
  ])("syncs to disk before it resolves: %s", async (_, sync, entry, isSynced) => {
    const { audit } = open().store;
    const ways: string[] = [];
    const chain = {
      ...audit,
      append: (all: Parameters<typeof audit.append>[0]) => (ways.push("synced"), audit.append(all)),
      appendSoon: (all: Parameters<typeof audit.append>[0]) => (ways.push("soon"), audit.appendSoon(all)),
    };
    const one = open({ chain, config: { sync } });
    await one.log.record(entry);
    expect(ways).toEqual([isSynced ? "synced" : "soon"]);
    expect(await bodies(one)).toHaveLength(1);
  });

  it("fails with AUDIT_UNAVAILABLE for any error of the store", async () => {
    const chain = { ...open().store.audit, append: () => Promise.reject(new Error("boom")) };
    await expect(open({ chain }).log.record(outcome())).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    const redact = (): never => {
      throw new Error("boom");
    };
    await expect(
      open({ redact, config: { arguments: true } }).log.record(outcome({ arguments: {} })),
    ).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    await rm(file(), { force: true });
    await mkdir(file(), { recursive: true });
    await expect(open().log.prepare()).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    await rm(file(), { recursive: true });
    const again = open();
    await again.log.prepare();
    await again.log.record(outcome());
    expect(await bodies(again)).toHaveLength(1);
  });

  it("writes a rejected outcome unchanged when the store works again", async () => {
    let isFull = false;
    const { audit } = open().store;
    const refuse = (): Promise<never> => Promise.reject(new Error("full"));
    const chain: AuditChain = {
      ...audit,
      append: (all) => (isFull ? refuse() : audit.append(all)),
      appendMissing: (all) => (isFull ? refuse() : audit.appendMissing(all)),
    };
    const one = open({ chain, config: { keepRecords: 1000 } });
    for (const id of ["r1", "r2"]) await one.log.record(intent(id));
    isFull = true;
    for (const id of ["r1", "r2"]) {
      await expect(one.log.record(outcome({ request_id: id, duration_ms: 7 }))).rejects.toMatchObject({
        code: "AUDIT_UNAVAILABLE",
      });
    }
    await expect(one.log.record(intent("r3"))).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    one.timers[0]!.run();
    await one.log.recover();
    expect(await audit.openIntents()).toHaveLength(2);
    expect(one.timers).toHaveLength(1);
    isFull = false;
    // An outcome that the store did write is not written twice.
    await audit.append([{ ...outcome({ request_id: "r2" }) }]);
    await one.log.record(outcome({ request_id: "r4" }));
    await one.log.close();
    expect(await audit.openIntents()).toEqual([]);
    const ended = (await bodies(one)).filter(({ kind }) => kind === "outcome");
    expect(ended.map(({ request_id, duration_ms }) => [request_id, duration_ms])).toEqual([
      ["r2", 1],
      ["r4", 1],
      ["r1", 7],
    ]);
  });

  it("writes a rejected outcome later without a further call, or on close", async () => {
    let isFull = true;
    const { audit } = open().store;
    const chain: AuditChain = {
      ...audit,
      append: (all) => (isFull ? Promise.reject(new Error("full")) : audit.append(all)),
    };
    const one = open({ chain });
    await expect(one.log.record(outcome())).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    expect(one.timers.map(({ delayMs }) => delayMs)).toEqual([10_000]);
    one.timers[0]!.run();
    await expect(one.log.record(outcome({ request_id: "r2" }))).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    isFull = false;
    await one.log.close();
    expect((await bodies(one)).map(({ request_id }) => request_id)).toEqual(["r1", "r2"]);
    expect(await checkpointOf(one)).toMatchObject({ seq: 2 });
  });

  it("limits the size of a record and escapes control characters, for any input of callers and servers", async () => {
    const one = open();
    const hostile = '\n{"kind":"outcome"}\r\u2028\u0085\u001b[31m\0\ud800';
    await one.log.record(outcome({ tool_id: hostile, actor_id: "x".repeat(65_536), request_id: `\0${hostile}` }));
    await one.log.record(intent(`\0${hostile}`));
    const [{ tool_id, actor_id }, second] = (await bodies(one)) as [ChainBody, ChainBody];
    expect(tool_id).toBe('\n{"kind":"outcome"}\r\u2028\u0085\u001b[31m\ufffd\ufffd');
    expect(actor_id).toHaveLength(512);
    expect(actor_id).toMatch(/^x+… \(65536 characters\)$/);
    expect(second.request_id).not.toContain("\0");
    const body = (await one.store.audit.read({}))[0]!.body;
    expect(body).not.toContain("\n");
    expect(Buffer.byteLength(body)).toBeLessThan(2048);
  });

  it("keeps lists of texts, limited in length", async () => {
    const one = open();
    await one.log.record(outcome({ coerced: ["/count: string to number", `/${"n".repeat(600)}`] }));
    await one.log.record(outcome({ coerced: Array.from({ length: 100 }, (_, n) => `/a/${n}: number to string`) }));
    const [few, many] = (await bodies(one)).map(({ coerced }) => coerced as string[]);
    expect(few).toEqual(["/count: string to number", expect.stringMatching(/^\/n+… \(601 characters\)$/)]);
    expect(many).toHaveLength(21);
    expect(many?.slice(-2)).toEqual(["/a/19: number to string", "… (80 more)"]);
  });

  it("includes arguments only if the option is set, redacted and limited in size", async () => {
    const args = { token: "s3cret", deep: { list: [1, null] } };
    const off = open();
    await off.log.record(outcome({ arguments: args }));
    const on = open({ config: { arguments: true } });
    await on.log.record(outcome({ arguments: args }));
    await on.log.record(outcome({ arguments: { long: "x".repeat(10_000) } }));
    await on.log.record(outcome({ arguments: { n: Number.NaN }, duration_ms: Number.NaN }));
    const [first, second, third, fourth] = await bodies(off);
    expect(first).not.toHaveProperty("arguments");
    expect(second?.["arguments"]).toEqual({ token: "[hidden]", deep: { list: [1, null] } });
    expect(third).toMatchObject({ arguments_omitted: "10011 characters" });
    expect(fourth).toMatchObject({ arguments: { n: null }, duration_ms: null });
    expect(JSON.stringify(await bodies(off))).not.toContain("s3cret");
  });

  it("records a user's action with a new id and the current time", async () => {
    const one = open();
    await one.log.note({ action: "approve", subject: "apv_1", by: "ann", tool_id: "a:b" });
    expect(await bodies(one)).toEqual([
      {
        kind: "note",
        request_id: "id-1",
        timestamp: "2026-01-02T00:00:00.000Z",
        actor_id: "ann",
        action: "approve",
        subject: "apv_1",
        by: "ann",
        tool_id: "a:b",
      },
    ]);
  });
});

describe("the hash of arguments", () => {
  it("is equal for equal arguments in every process, and differs with another key", async () => {
    const [one, other] = [open(), open()];
    const hash = await one.log.hash({ a: 1, b: [2] });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await other.log.hash({ b: [2], a: 1 })).toBe(hash);
    expect(await one.log.hash({ a: 2 })).not.toBe(hash);
    const stranger = open({ key: createLocalKey(join(folder(), "other.key")) });
    expect(await stranger.log.hash({ a: 1, b: [2] })).not.toBe(hash);
  });

  it("is recorded with the id of its key", async () => {
    const one = open();
    await one.log.record(outcome({ params_hash: await one.log.hash({}) }));
    await one.log.record(outcome());
    const [hashed, bare] = await bodies(one);
    expect(hashed?.["key_id"]).toMatch(/^[0-9a-f]{16}$/);
    expect(bare).not.toHaveProperty("key_id");
  });
});

describe("maintenance", () => {
  it("signs the existing records even if an outcome cannot be written yet", async () => {
    const { audit } = open().store;
    const append = (all: readonly ChainBody[]): Promise<readonly Mark[]> =>
      all.some(({ request_id }) => request_id === "bad") ? Promise.reject(new Error("bad")) : audit.append(all);
    const one = open({ chain: { ...audit, append, appendMissing: append } });
    await expect(one.log.record(outcome({ request_id: "bad" }))).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    await one.log.record(outcome());
    await one.log.close();
    expect(await checkpointOf(one)).toMatchObject({ seq: 1 });
    expect(one.logged[0]).toContain("Maintenance of the audit log failed: bad");
  });
});

describe("recovery", () => {
  it("records the outcome unknown once for each call that an ended gateway left open, and signs it", async () => {
    const gone = open();
    await gone.log.record({
      ...intent("r1"),
      params_hash: await gone.log.hash({}),
      approval_id: "apv",
      client_name: "c",
      client_version: "1",
      trace_id: "t",
      span_id: "s",
    });
    await gone.log.record(intent("r2"));
    await gone.log.record(outcome({ request_id: "r2" }));
    await gone.store.close();
    const four = Array.from({ length: 4 }, () => open());
    await four[0]!.log.record(intent("r3"));
    const counts = await Promise.all(four.map(({ log }) => log.recover()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    const unknown = (await bodies(four[1]!)).filter(({ outcome: how }) => how === "unknown");
    expect(unknown).toEqual([
      {
        kind: "outcome",
        request_id: "r1",
        timestamp: "2026-01-02T00:00:00.000Z",
        actor_id: "local",
        surface: "mcp",
        client_name: "c",
        client_version: "1",
        trace_id: "t",
        span_id: "s",
        tool_id: "a:b",
        params_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        key_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        risk: "medium",
        approval_id: "apv",
        decision: "allowed",
        outcome: "unknown",
      },
    ]);
    expect(await checkpointOf(four[0]!)).toMatchObject({ seq: 5 });
  });

  it("tolerates an intent with a corrupted body", async () => {
    const gone = open();
    await gone.log.record(intent("r1"));
    await gone.store.close();
    tamper("UPDATE audit SET body = '[]'");
    const one = open();
    expect(await one.log.recover()).toBe(1);
    expect((await bodies(one)).at(-1)).toMatchObject({ request_id: "r1", outcome: "unknown" });
  });
});

describe("rotation", () => {
  it("moves records out when there are 10 % more than the limit, and signs the rest", async () => {
    const one = open({ config: { keepRecords: 1000 } });
    await Promise.all(Array.from({ length: 1100 }, () => one.log.record(outcome())));
    await one.log.recover();
    expect(await one.store.audit.start()).toMatchObject({ seq: 0 });
    await one.log.record(outcome());
    await one.log.recover();
    expect(await one.store.audit.start()).toMatchObject({ seq: 101 });
    expect(await readdir(one.files.archiveFolder)).toEqual(["audit-1-101-test.jsonl"]);
    expect(await checkpointOf(one)).toMatchObject({ seq: 1102 });
  });

  it("moves records out by age, and closes an orphaned intent that would block it", async () => {
    const gone = open();
    await gone.log.record(intent("r0"));
    await gone.log.record(outcome());
    await gone.store.close();
    const later = NOW + 12 * 86_400_000;
    const one = open({ config: { keepDays: 10 }, now: () => later });
    await one.log.record(outcome({ timestamp: new Date(later).toISOString() }));
    await one.log.close();
    expect(await one.store.audit.start()).toMatchObject({ seq: 2 });
    expect((await bodies(one)).map(({ kind }) => kind)).toEqual(["outcome", "outcome", "rotation"]);
  });
});
