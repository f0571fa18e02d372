import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "./driver.js";
import { createEngine } from "./engine.js";
import { openDatabase } from "./open-database.js";
import type { Request } from "./operations.js";

const OWNERS = { self: "me", isAlive: () => true, clear: () => undefined, close: () => undefined };
const append = (request_id: string, size = 1): Request => ({
  part: "audit",
  method: "append",
  args: [[{ kind: "outcome", request_id, timestamp: "2026", filler: "x".repeat(size) }]],
});

let database: Database;
let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), "engine-")), "store.db");
  database = openDatabase(file);
});
afterEach(() => database.close());

const count = (): unknown => database.prepare("SELECT count(*) AS n FROM audit").get()?.["n"];

describe("createEngine", () => {
  it("commits the other requests when one of them fails", () => {
    const replies = createEngine(database, OWNERS).run([
      append("a"),
      { part: "audit", method: "append", args: ["no list"] },
      { part: "audit", method: "none", args: [] },
      append("b"),
    ]);
    expect(replies.map(({ kind }) => kind)).toEqual(["done", "failed", "failed", "done"]);
    expect(count()).toBe(2);
  });

  it("gives each of several appends its own sequence numbers", () => {
    const two = {
      ...append("b"),
      args: [[...(append("b").args[0] as object[]), ...(append("c").args[0] as object[])]],
    };
    const replies = createEngine(database, OWNERS).run([append("a"), two, append("d")]);
    const seqs = replies.map((reply) =>
      (reply.kind === "done" ? (reply.value as { seq: number }[]) : []).map(({ seq }) => seq),
    );
    expect(seqs).toEqual([[1], [2, 3], [4]]);
  });

  it("fails only the append that cannot be stored", () => {
    const replies = createEngine(database, OWNERS).run([
      append("a"),
      { ...append("b"), args: [[{ kind: "outcome", request_id: "b", timestamp: () => "no JSON" }]] },
      append("c"),
    ]);
    expect(replies).toMatchObject([{ value: [{ seq: 1 }] }, { kind: "failed" }, { value: [{ seq: 2 }] }]);
    expect(count()).toBe(2);
  });

  it("fails all requests when the disk is full, and works again when there is space", () => {
    const engine = createEngine(database, OWNERS);
    const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
    database.exec(`PRAGMA max_page_count = ${pages + 1}`);
    const replies = engine.run([append("a"), append("b", 100_000), append("c")]);
    const full = { kind: "failed", fault: { reason: "the disk is full", isFatal: true } };
    expect(replies.some((reply) => reply.kind === "failed" && reply.fault.reason === full.fault.reason)).toBe(true);
    database.exec("PRAGMA max_page_count = 100000");
    expect(count()).toBe(replies.filter(({ kind }) => kind === "done").length);
    expect(engine.run([append("d")])).toMatchObject([{ kind: "done" }]);
  });

  it("reports that the file is read-only and leaves no transaction open", () => {
    const engine = createEngine(database, OWNERS);
    database.exec("PRAGMA query_only = ON");
    expect(engine.run([append("a")])).toMatchObject([{ kind: "failed", fault: { reason: "the file is read-only" } }]);
    expect(database.isTransaction).toBe(false);
    expect(engine.run([{ part: "probe", method: "write", args: [] }])).toMatchObject([{ kind: "failed" }]);
  });

  it("syncs the disk if one of the requests is durable", () => {
    const engine = createEngine(database, OWNERS);
    const level = () => database.prepare("PRAGMA synchronous").get()?.["synchronous"];
    const take = { bucket: "b", actor: "a", limit: 1, windowMs: 1000, now: 1 };
    const relaxed: Request = { part: "rates", method: "take", args: [take] };
    engine.run([relaxed]);
    expect(level()).toBe(1);
    engine.run([relaxed, append("a")]);
    expect(level()).toBe(2);
  });

  it("waits for another process that holds the write lock, up to a limit", () => {
    const other = openDatabase(file);
    try {
      other.exec("BEGIN IMMEDIATE");
      const replies = createEngine(database, OWNERS, { timeoutMs: 50 }).run([append("a")]);
      expect(replies).toMatchObject([
        { kind: "failed", fault: { reason: "another process held the write lock too long" } },
      ]);
      other.exec("COMMIT");
      expect(createEngine(database, OWNERS, { timeoutMs: 50 }).run([append("a")])).toMatchObject([{ kind: "done" }]);
    } finally {
      other.close();
    }
  });
});
