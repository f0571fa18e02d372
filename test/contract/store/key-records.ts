import { describe, expect, it } from "vitest";
import type { KeyClaim, KeyQuotas, Reservation } from "../../../src/store/key-records.js";
import type { Store } from "../../../src/store/store.js";
import type { StorePlace } from "../describe-store.js";

const SCOPE = { actor: "ann", tool: "s:t", key: "k" };
const DAY_MS = 86_400_000;
const BYTES = new Uint8Array([0, 255, 10, 13, 34, 195, 40]);

const request = (requestId: string, rest: { now?: number; fingerprint?: string; rerun?: boolean } = {}) => ({
  fingerprint: "f",
  requestId,
  now: 1000,
  ttlMs: DAY_MS,
  ...rest,
});

function claimOf(reservation: Reservation): KeyClaim {
  if (reservation.kind !== "reserved") throw new Error("The key is already reserved.");
  return reservation.claim;
}

async function dispatched(store: Store, requestId = "r1"): Promise<KeyClaim> {
  const claim = claimOf(await store.keys.reserve(SCOPE, request(requestId)));
  await store.keys.dispatch(claim, 1001);
  return claim;
}

export function describeKeyRecords(createPlace: () => Promise<StorePlace>): void {
  describe("keys", () => {
    it("lets exactly one of a hundred callers reserve a key", async () => {
      const { keys } = (await createPlace()).open();
      const tries = Array.from({ length: 100 }, (_, n) => keys.reserve(SCOPE, request(`r${n}`)));
      const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "reserved")).toHaveLength(1);
    });

    it("returns the state of the key to the other callers", async () => {
      const { keys } = (await createPlace()).open();
      await keys.reserve(SCOPE, request("r1"));
      expect(await keys.reserve(SCOPE, request("r2", { fingerprint: "other", now: 1005 }))).toEqual({
        kind: "known",
        record: {
          id: expect.any(Number),
          scope: { tenant: "", ...SCOPE },
          fingerprint: "f",
          state: "reserved",
          requestId: "r1",
          reservedAt: 1000,
          changedAt: 1000,
          expiresAt: 1000 + DAY_MS,
        },
      });
    });

    it("recognizes its own reservation, so that a retried write is not a duplicate", async () => {
      const { keys } = (await createPlace()).open();
      const first = await keys.reserve(SCOPE, request("r1"));
      expect(await keys.reserve(SCOPE, request("r1"))).toEqual(first);
      const claim = claimOf(first);
      expect([await keys.dispatch(claim, 1), await keys.dispatch(claim, 2)]).toEqual([true, true]);
      const ending = { kind: "completed", answer: BYTES } as const;
      expect([await keys.finish(claim, ending, 3), await keys.finish(claim, ending, 4)]).toEqual([true, true]);
    });

    it.each([
      ["another actor", { ...SCOPE, actor: "bob" }],
      ["another tool", { ...SCOPE, tool: "s:u" }],
      ["another tenant", { ...SCOPE, tenant: "x" }],
    ])("keeps the same key of %s apart", async (_name, other) => {
      const { keys } = (await createPlace()).open();
      await keys.reserve(SCOPE, request("r1"));
      expect(await keys.reserve(other, request("r2"))).toMatchObject({ kind: "reserved" });
    });

    it.each(["completed", "failed"] as const)("returns the exact bytes of a call that %s", async (kind) => {
      const place = await createPlace();
      const store = place.open();
      expect(await store.keys.finish(await dispatched(store), { kind, answer: BYTES }, 1002)).toBe(true);
      const known = await place.open().keys.find(SCOPE, 1003);
      expect(known).toMatchObject({ state: kind, requestId: "r1", changedAt: 1002, answerBytes: BYTES.length });
      expect(Buffer.from(known?.answer ?? [])).toEqual(Buffer.from(BYTES));
    });

    it("stores only the size of an answer above the limit", async () => {
      const store = (await createPlace()).open();
      const answer = new Uint8Array(1024 * 1024 + 1);
      await store.keys.finish(await dispatched(store), { kind: "completed", answer }, 1002);
      const known = await store.keys.find(SCOPE, 1003);
      expect(known).toMatchObject({ state: "completed", answerBytes: answer.length });
      expect(known).not.toHaveProperty("answer");
    });

    it("releases a key in progress, but not a finished one", async () => {
      const store = (await createPlace()).open();
      const reserved = claimOf(await store.keys.reserve(SCOPE, request("r1")));
      expect(await store.keys.release(reserved)).toBe(true);
      expect(await store.keys.find(SCOPE, 1000)).toBeUndefined();
      expect(await store.keys.release(await dispatched(store, "r2"))).toBe(true);
      const claim = await dispatched(store, "r3");
      await store.keys.finish(claim, { kind: "unknown" }, 1002);
      expect(await store.keys.release(claim)).toBe(false);
      expect(await store.keys.find(SCOPE, 1003)).toMatchObject({ state: "unknown", requestId: "r3" });
    });

    it("does not let the previous holder release the key of the next one", async () => {
      const store = (await createPlace()).open();
      const before = await dispatched(store, "r1");
      await store.keys.release(before);
      const after = await dispatched(store, "r2");
      expect(await store.keys.release(before)).toBe(false);
      expect(await store.keys.release({ ...after, requestId: "r1" })).toBe(false);
      expect(await store.keys.find(SCOPE, 1003)).toMatchObject({ state: "dispatched", requestId: "r2" });
    });

    it("rejects every step of a claim that does not own the key", async () => {
      const { keys } = (await createPlace()).open();
      const claim = claimOf(await keys.reserve(SCOPE, request("r1")));
      const stale = { ...claim, requestId: "r0" };
      const ending = { kind: "completed", answer: BYTES } as const;
      expect([await keys.dispatch(stale, 1), await keys.finish(stale, ending, 1), await keys.release(stale)]).toEqual([
        false,
        false,
        false,
      ]);
      expect(await keys.find(SCOPE, 1000)).toMatchObject({ state: "reserved", requestId: "r1" });
    });

    it("does not complete a call that was not dispatched", async () => {
      const { keys } = (await createPlace()).open();
      const claim = claimOf(await keys.reserve(SCOPE, request("r1")));
      expect(await keys.finish(claim, { kind: "completed", answer: BYTES }, 1)).toBe(false);
    });

    it("runs a call with an unknown outcome again only if it is safe", async () => {
      const store = (await createPlace()).open();
      const claim = await dispatched(store);
      await store.keys.finish(claim, { kind: "unknown" }, 1002);
      const again = (rest: { rerun?: boolean; fingerprint?: string }) => store.keys.reserve(SCOPE, request("r2", rest));
      expect(await again({})).toMatchObject({ kind: "known", record: { state: "unknown" } });
      expect(await again({ rerun: true, fingerprint: "other" })).toMatchObject({ kind: "known" });
      expect(await again({ rerun: true })).toMatchObject({ kind: "reserved" });
      expect(await store.keys.finish(claim, { kind: "completed", answer: BYTES }, 1003)).toBe(false);
    });

    it("accepts a late answer of the same call in place of an unknown outcome", async () => {
      const store = (await createPlace()).open();
      const claim = await dispatched(store);
      await store.keys.finish(claim, { kind: "unknown" }, 1002);
      expect(await store.keys.finish(claim, { kind: "completed", answer: BYTES }, 1003)).toBe(true);
      expect(await store.keys.find(SCOPE, 1004)).toMatchObject({ state: "completed" });
    });

    it("expires a finished key at its expiry time, and not before", async () => {
      const store = (await createPlace()).open();
      await store.keys.finish(await dispatched(store), { kind: "completed", answer: BYTES }, 1002);
      const end = 1000 + DAY_MS;
      expect(await store.keys.reserve(SCOPE, request("r2", { now: end - 1 }))).toMatchObject({ kind: "known" });
      expect(await store.keys.find(SCOPE, end)).toBeUndefined();
      expect(await store.keys.reserve(SCOPE, request("r2", { now: end }))).toMatchObject({ kind: "reserved" });
    });

    it("rejects a new key once its actor has too many keys or bytes, and counts no expired ones", async () => {
      const { keys } = (await createPlace()).open();
      const quotas = { maxKeysPerActor: 3, maxBytesPerActor: 10 };
      const reserve = (key: string, given: { actor?: string; now?: number; quotas?: KeyQuotas } = {}) => {
        const { actor = "ann", now = 1000 } = given;
        return keys.reserve({ ...SCOPE, actor, key }, { ...request(`${actor}-${key}`, { now }), quotas, ...given });
      };
      const claim = claimOf(await reserve("a"));
      await keys.dispatch(claim, 1001);
      await keys.finish(claim, { kind: "completed", answer: BYTES }, 1002);
      const second = claimOf(await reserve("b"));
      await reserve("c");
      expect(await reserve("d")).toEqual({ kind: "full", keys: 3, bytes: BYTES.byteLength });
      expect(await reserve("a")).toMatchObject({ kind: "known" });
      expect(await reserve("d", { actor: "bob" })).toMatchObject({ kind: "reserved" });
      await keys.release(second);
      expect(await reserve("d")).toMatchObject({ kind: "reserved" });
      const fewBytes = { quotas: { maxKeysPerActor: 9, maxBytesPerActor: 7 } };
      expect(await reserve("e", fewBytes)).toMatchObject({ kind: "full", bytes: 7 });
      expect(await reserve("e", { ...fewBytes, now: 1000 + DAY_MS })).toMatchObject({ kind: "reserved" });
    });

    it("never takes over a key whose holder is alive, however long it takes", async () => {
      const place = await createPlace();
      const store = place.open();
      await dispatched(store);
      const later = request("r2", { now: 1000 + 3 * DAY_MS, rerun: true });
      expect(await place.open().keys.reserve(SCOPE, later)).toMatchObject({
        kind: "known",
        record: { state: "dispatched", requestId: "r1" },
      });
      expect(await store.keys.list({ now: later.now })).toHaveLength(1);
    });

    it("releases a reserved key and marks a dispatched one as unknown when the holder has exited", async () => {
      const place = await createPlace();
      const gone = place.open();
      await gone.keys.reserve({ ...SCOPE, key: "reserved" }, request("r1"));
      await dispatched(gone, "r2");
      await gone.close();
      const { keys } = place.open();
      expect(await keys.find({ ...SCOPE, key: "reserved" }, 1000)).toBeUndefined();
      expect(await keys.find(SCOPE, 1000)).toMatchObject({ state: "unknown" });
      expect(await keys.list({ now: 1000, state: "unknown" })).toHaveLength(1);
      expect(await keys.list({ now: 1000, state: "dispatched" })).toEqual([]);
      expect(await keys.reserve({ ...SCOPE, key: "reserved" }, request("r3"))).toMatchObject({ kind: "reserved" });
      expect(await keys.reserve(SCOPE, request("r4"))).toMatchObject({ kind: "known", record: { state: "unknown" } });
    });

    it("recovers the keys of exited holders once, and none of living ones", async () => {
      const place = await createPlace();
      const [gone, alive] = [place.open(), place.open()];
      await dispatched(gone, "r1");
      await gone.keys.reserve({ ...SCOPE, key: "b" }, request("r2"));
      await alive.keys.reserve({ ...SCOPE, key: "c" }, request("r3"));
      await gone.close();
      const { keys } = place.open();
      expect(await keys.recover(2000)).toMatchObject([{ state: "unknown", requestId: "r1", changedAt: 2000 }]);
      expect(await keys.recover(2001)).toEqual([]);
      expect((await keys.list({ now: 2002 })).map(({ scope, state }) => [scope.key, state])).toEqual([
        ["c", "reserved"],
        ["k", "unknown"],
      ]);
    });

    it("lets a user set the outcome of an unknown call", async () => {
      const store = (await createPlace()).open();
      await store.keys.finish(await dispatched(store), { kind: "unknown" }, 1002);
      const [{ id } = { id: -1 }] = await store.keys.list({ now: 1003, state: "unknown" });
      expect(await store.keys.resolve(id, "committed", 1004)).toMatchObject({ state: "completed", changedAt: 1004 });
      expect(await store.keys.resolve(id, "committed", 1005)).toBeUndefined();
      expect(await store.keys.reserve(SCOPE, request("r2"))).toMatchObject({ kind: "known" });
    });

    it("releases a key whose call a user marks as not executed", async () => {
      const store = (await createPlace()).open();
      await store.keys.finish(await dispatched(store), { kind: "unknown" }, 1002);
      const [{ id } = { id: -1 }] = await store.keys.list({ now: 1003, key: "k", actor: "ann" });
      expect(await store.keys.resolve(id, "not_committed", 1004)).toMatchObject({ state: "unknown" });
      expect(await store.keys.reserve(SCOPE, request("r2"))).toMatchObject({ kind: "reserved" });
    });

    it("stores any text unchanged", async () => {
      const { keys } = (await createPlace()).open();
      const odd = { actor: "a'; DROP TABLE keys; --", tool: "__proto__", key: "\u0001\u2028\u{1f600}" };
      await keys.reserve(odd, request("r1"));
      expect((await keys.find(odd, 1000))?.scope).toEqual({ tenant: "", ...odd });
    });

    it("rejects text that would be truncated when read", async () => {
      const { keys } = (await createPlace()).open();
      await expect(keys.reserve({ ...SCOPE, key: "a\u0000b" }, request("r1"))).rejects.toMatchObject({
        code: "AUDIT_UNAVAILABLE",
        message: expect.stringContaining("NUL"),
      });
      expect(await keys.reserve(SCOPE, request("r2"))).toMatchObject({ kind: "reserved" });
    });
  });
}
