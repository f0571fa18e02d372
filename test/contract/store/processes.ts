import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { AuditMark } from "../../../src/store/audit-records.js";
import { storedResult } from "../../support/stored-result.js";
import { verifyStored } from "../../support/stored-chain.js";
import type { StorePlace } from "../describe-store.js";
import { seenVersion, SUBJECT, TTL_MS } from "../store-process.js";
import { createStoreProcesses, type StoreProcesses } from "../store-processes.js";

export function describeProcesses(createPlace: () => Promise<StorePlace>): void {
  describe("several processes", () => {
    let processes: StoreProcesses;
    beforeAll(async () => {
      processes = await createStoreProcesses();
    });
    afterEach(async () => {
      await processes.killAll();
    });
    afterAll(async () => {
      await processes.close();
    });

    const sum = (counts: readonly unknown[]): number => counts.reduce<number>((all, count) => all + Number(count), 0);

    it("let exactly one of a hundred callers reserve each key", async () => {
      const { parts } = await createPlace();
      const four = await processes.start(4, parts);
      const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
      const won = await Promise.all(four.map((each) => each.run({ kind: "reserve", keys, attempts: 25 })));
      expect(sum(won)).toBe(keys.length);
    });

    it("execute two thousand shared keys, each once", async () => {
      const { parts, open } = await createPlace();
      const four = await processes.start(4, parts);
      const keys = Array.from({ length: 2000 }, (_, n) => `k${n}`);
      const made = await Promise.all(four.map((each) => each.run({ kind: "carry-out", keys })));
      expect(sum(made)).toBe(keys.length);
      const store = open();
      const found = await Promise.all(keys.map((key) => store.keys.find({ actor: "a", tool: "s:t", key }, 1003)));
      const wrong = found.filter(
        (record) =>
          record?.state !== "completed" || Buffer.from(record.answer ?? []).toString("utf8") !== record.requestId,
      );
      expect(wrong).toEqual([]);
    });

    it("share exactly the limit", async () => {
      const { parts } = await createPlace();
      const four = await processes.start(4, parts);
      const taken = await Promise.all(four.map((each) => each.run({ kind: "take", count: 250, limit: 100 })));
      expect(sum(taken)).toBe(100);
    });

    it("redeem an approval once", async () => {
      const { parts, open } = await createPlace();
      const { approvals } = open();
      await approvals.ask({ ...SUBJECT, id: "a1", shown: "", selfService: false, now: 1, ttlMs: TTL_MS });
      await approvals.decide("a1", { kind: "approved", by: "person", now: 2, ttlMs: TTL_MS });
      const four = await processes.start(4, parts);
      const redeemed = await Promise.all(four.map((each) => each.run({ kind: "redeem", count: 25 })));
      expect(sum(redeemed)).toBe(1);
    });

    it("raise a tool file's version together, and none reads a lower version than it wrote", async () => {
      const { parts, open } = await createPlace();
      const four = await processes.start(4, parts);
      const given = four.map((_, n) =>
        Array.from({ length: 50 }, (_, k) => String((k * 7 + n * 13) % 100).padStart(2, "0")),
      );
      const told = (await Promise.all(
        four.map((each, n) => each.run({ kind: "note", ranks: given[n]! })),
      )) as string[][];
      expect(told.flatMap((ranks, n) => ranks.filter((rank, k) => rank < given[n]![k]!))).toEqual([]);
      expect(await open().toolFiles.seen({ folder: "/f", toolId: "t" })).toEqual(
        seenVersion(given.flat().sort().at(-1)!),
      );
    });

    it("keep the quotas of results together, and read the results of each other", async () => {
      const { parts, open } = await createPlace();
      const four = await processes.start(4, parts);
      const quotas = { maxBytes: 10_000, maxBytesPerActor: 10_000, maxResults: 60, maxResultsPerActor: 60 };
      await Promise.all(four.map((each, n) => each.run({ kind: "store-results", count: 100, name: `p${n}`, quotas })));
      const { results } = open();
      const ids = four.flatMap((_, n) => Array.from({ length: 100 }, (__, index) => `p${n}-${index}`));
      const found = await Promise.all(ids.map((id) => results.find(id, "ann", 2000)));
      const stored = found.filter((one) => one?.kind === "stored");
      expect(stored).toHaveLength(60);
      expect(found.filter((one) => one?.kind === "lost" && one.loss === "dropped")).toHaveLength(340);
      for (const one of stored) {
        expect(Buffer.from(one.record.payload)).toEqual(storedResult(one.record.id).payload);
      }
    });

    it("write one hash chain", async () => {
      const { parts, open } = await createPlace();
      const four = await processes.start(4, parts);
      const jobs = four.map((each, n) => each.run({ kind: "append", count: 100, name: `p${n}` }));
      const marks = (await Promise.all(jobs)) as AuditMark[][];
      expect(new Set(marks.flat().map(({ seq }) => seq)).size).toBe(400);
      expect(await verifyStored(open().audit)).toMatchObject({ kind: "whole", records: 400 });
    });

    it("lose no acknowledged write when one is killed", async () => {
      const { parts, open } = await createPlace();
      const [other] = await processes.start(1, parts);
      const witness = other!.run({ kind: "append-on-and-on", name: "witness" }).catch(() => undefined);
      for (let round = 0; round < 5; round += 1) {
        const [victim] = await processes.start(1, parts);
        const running = victim!.run({ kind: "append-on-and-on", name: `v${round}` }).catch(() => undefined);
        await victim!.untilWritten(1 + round * 7);
        await victim!.kill();
        await running;
        await expectWritten(open, victim!.written);
      }
      await other!.untilWritten(1);
      await other!.kill();
      await witness;
      await expectWritten(open, other!.written);
      expect(await verifyStored(open().audit)).toMatchObject({ kind: "whole" });
    });

    it("exit when idle, even if the store is still open", async () => {
      const [one] = await processes.start(1, (await createPlace()).parts);
      await one!.run({ kind: "append", count: 1, name: "p" });
      const ended = once(one!.child, "exit");
      one!.run({ kind: "leave" }).catch(() => undefined);
      expect(await ended).toEqual([0, null]);
    });

    it("recover what a killed process left, and nothing of a suspended one", async () => {
      const { parts, open } = await createPlace();
      const [dead, stopped] = await processes.start(2, parts);
      await dead!.run({ kind: "hold", name: "dead" });
      await stopped!.run({ kind: "hold", name: "stopped" });
      stopped!.child.kill("SIGSTOP");
      await dead!.kill();
      const { audit, keys } = open();
      const intents = (await audit.openIntents()).map(({ requestId, isOrphan }) => [requestId, isOrphan]);
      expect(intents).toEqual([
        ["dead-2", true],
        ["stopped-2", false],
      ]);
      expect((await keys.recover(2000)).map(({ scope }) => scope.key)).toEqual(["dead-dispatched"]);
      const left = (await keys.list({ now: 2000 })).map(({ scope, state }) => [scope.key, state]);
      expect(left.sort()).toEqual([
        ["dead-dispatched", "unknown"],
        ["stopped-dispatched", "dispatched"],
        ["stopped-reserved", "reserved"],
      ]);
    });
  });
}

async function expectWritten(open: StorePlace["open"], written: readonly AuditMark[]): Promise<void> {
  const { audit } = open();
  const kept = new Map<number, string>();
  for (let page = await audit.read({}); page.length > 0; page = await audit.read({ after: page.at(-1)!.seq })) {
    for (const { seq, hash } of page) kept.set(seq, hash);
  }
  expect(written.filter(({ seq, hash }) => kept.get(seq) !== hash)).toEqual([]);
}
