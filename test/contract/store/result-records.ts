import { describe, expect, it } from "vitest";
import {
  MAX_REMEMBERED_LOSSES,
  type ResultQuotas,
  type ResultRecord,
  type ResultRecords,
} from "../../../src/store/result-records.js";
import { storedResult } from "../../support/stored-result.js";

const QUOTAS: ResultQuotas = { maxBytes: 10_000, maxBytesPerActor: 10_000, maxResults: 100, maxResultsPerActor: 100 };
const NOW = 2000;

export function describeResultRecords(open: () => Promise<ResultRecords>): void {
  describe("results", () => {
    const addAll = async (results: ResultRecords, records: readonly ResultRecord[], quotas = QUOTAS): Promise<void> => {
      for (const record of records) await results.add(record, quotas);
    };
    const stateOf = async (results: ResultRecords, id: string, actor = "ann", now = NOW): Promise<string> => {
      const found = await results.find(id, actor, now);
      return found?.kind === "lost" ? found.loss : (found?.kind ?? "unknown");
    };
    const statesOf = (results: ResultRecords, ids: readonly string[], actor?: string): Promise<string[]> =>
      Promise.all(ids.map((id) => stateOf(results, id, actor)));

    it("returns a record with the same bytes", async () => {
      const results = await open();
      const record = storedResult("a", { payload: Buffer.from([0, 255, 1, 0]), bytes: 7 });
      expect(await results.add(record, QUOTAS)).toBe(true);
      const found = await results.find("a", "ann", NOW);
      expect(found).toMatchObject({ kind: "stored", record: { ...record, payload: expect.anything() } });
      expect(found?.kind === "stored" && [...found.record.payload]).toEqual([0, 255, 1, 0]);
    });

    it("does not show other actors that a result exists, has expired or was dropped", async () => {
      const results = await open();
      await addAll(
        results,
        ["dropped", "expired", "stored"].map((id) => storedResult(id, { expiresAt: id === "expired" ? NOW : NOW + 1 })),
        { ...QUOTAS, maxResultsPerActor: 2 },
      );
      const ids = ["dropped", "expired", "stored", "never"];
      expect(await statesOf(results, ids)).toEqual(["dropped", "expired", "stored", "unknown"]);
      expect(await statesOf(results, ids, "bob")).toEqual(["unknown", "unknown", "unknown", "unknown"]);
    });

    it("names the tool of a result that is lost", async () => {
      const results = await open();
      await addAll(results, [storedResult("a", { expiresAt: NOW })]);
      const lost = { kind: "lost", loss: "expired", server: "s", tool: "t" };
      expect(await results.find("a", "ann", NOW)).toEqual(lost);
      await results.removeExpired(NOW);
      expect(await results.find("a", "ann", NOW)).toEqual(lost);
      // The clock was set back after the result was removed.
      expect(await results.find("a", "ann", 0)).toEqual(lost);
    });

    it("removes exactly the expired results", async () => {
      const results = await open();
      await addAll(results, [storedResult("a", { expiresAt: NOW }), storedResult("b", { expiresAt: NOW + 1 })]);
      await results.removeExpired(NOW);
      expect(await statesOf(results, ["a", "b"])).toEqual(["expired", "stored"]);
    });

    it("removes expired results with each new result, so that they take no room", async () => {
      const results = await open();
      await addAll(results, [storedResult("a", { expiresAt: 1500 }), storedResult("b")]);
      await results.add(storedResult("c", { createdAt: 1500 }), { ...QUOTAS, maxResultsPerActor: 2 });
      expect(await statesOf(results, ["a", "b", "c"])).toEqual(["expired", "stored", "stored"]);
    });

    it.each<[string, Partial<ResultQuotas>]>([
      ["number per actor", { maxResultsPerActor: 2 }],
      ["number in all", { maxResults: 2 }],
      ["bytes per actor", { maxBytesPerActor: 299 }],
      ["bytes in all", { maxBytes: 299 }],
    ])("drops the oldest results beyond the maximum %s", async (_, quotas) => {
      const results = await open();
      const ids = ["a", "b", "c", "d"];
      await addAll(
        results,
        // The order of storing counts, not the clock.
        ids.map((id, n) => storedResult(id, { createdAt: 1500 - n })),
        { ...QUOTAS, ...quotas },
      );
      expect(await statesOf(results, ids)).toEqual(["dropped", "dropped", "stored", "stored"]);
    });

    it("drops no result of another actor for the quota of one actor", async () => {
      const results = await open();
      await results.add(storedResult("bobs", { actor: "bob" }), QUOTAS);
      await addAll(
        results,
        ["a", "b", "c"].map((id) => storedResult(id)),
        { ...QUOTAS, maxResultsPerActor: 1 },
      );
      expect(await stateOf(results, "bobs", "bob")).toBe("stored");
    });

    it("drops as many results as a large one needs", async () => {
      const results = await open();
      await addAll(
        results,
        ["a", "b", "c", "d"].map((id) => storedResult(id)),
      );
      await results.add(storedResult("e", { payload: Buffer.alloc(250) }), { ...QUOTAS, maxBytesPerActor: 400 });
      expect(await statesOf(results, ["a", "b", "c", "d", "e"])).toEqual([
        "dropped",
        "dropped",
        "dropped",
        "stored",
        "stored",
      ]);
    });

    it.each<[string, Partial<ResultQuotas>]>([
      ["of its actor", { maxBytesPerActor: 199 }],
      ["of all actors", { maxBytes: 199 }],
    ])("rejects a result that alone exceeds the quota %s, and drops nothing for it", async (_, quotas) => {
      const results = await open();
      await results.add(storedResult("a"), QUOTAS);
      expect(await results.add(storedResult("b", { payload: Buffer.alloc(200) }), { ...QUOTAS, ...quotas })).toBe(
        false,
      );
      expect(await statesOf(results, ["a", "b"])).toEqual(["stored", "unknown"]);
    });

    it("applies smaller quotas to results that are already stored", async () => {
      const results = await open();
      const ids = Array.from({ length: 30 }, (_, n) => `r${n}`);
      await addAll(
        results,
        ids.map((id) => storedResult(id)),
      );
      await results.add(storedResult("last"), { ...QUOTAS, maxResults: 3 });
      expect((await statesOf(results, [...ids, "last"])).filter((state) => state === "stored")).toHaveLength(3);
    });

    it("holds all quotas and remembers every loss under ten thousand results of ten actors", async () => {
      const results = await open();
      const quotas = { maxBytes: 60_000, maxBytesPerActor: 8000, maxResults: 1000, maxResultsPerActor: 70 };
      const records = Array.from({ length: 10_000 }, (_, n) =>
        storedResult(`r${n}`, { actor: `actor${n % 10}`, payload: Buffer.alloc(50 + (n % 100)) }),
      );
      for (let from = 0; from < records.length; from += 500) {
        await Promise.all(records.slice(from, from + 500).map((record) => results.add(record, quotas)));
      }
      const found = await Promise.all(records.map(({ id, actor }) => results.find(id, actor, NOW)));
      const stored = found.flatMap((one) => (one?.kind === "stored" ? [one.record] : []));
      expect(found.filter((one) => one === undefined)).toEqual([]);
      expect(sizeOf(stored)).toBeLessThanOrEqual(quotas.maxBytes);
      // The next oldest result would not have fitted.
      expect(sizeOf(stored)).toBeGreaterThan(quotas.maxBytes - 150);
      for (let n = 0; n < 10; n += 1) {
        const own = stored.filter(({ actor }) => actor === `actor${n}`);
        expect(own.length).toBeLessThanOrEqual(quotas.maxResultsPerActor);
        expect(sizeOf(own)).toBeLessThanOrEqual(quotas.maxBytesPerActor);
      }
      const isStored = found.map((one) => one?.kind === "stored");
      for (let n = 0; n < 10; n += 1) {
        const own = isStored.filter((_, index) => index % 10 === n);
        expect(own.lastIndexOf(false)).toBeLessThan(own.indexOf(true));
      }
    });

    it("forgets the oldest losses", async () => {
      const results = await open();
      const records = Array.from({ length: MAX_REMEMBERED_LOSSES + 3 }, (_, n) => storedResult(`r${n}`));
      await Promise.all(records.map((record) => results.add(record, { ...QUOTAS, maxResults: 1 })));
      expect(await statesOf(results, ["r0", "r1", "r2", "r3"])).toEqual(["unknown", "unknown", "dropped", "dropped"]);
    });
  });
}

function sizeOf(records: readonly ResultRecord[]): number {
  return records.reduce((sum, { payload }) => sum + payload.byteLength, 0);
}
