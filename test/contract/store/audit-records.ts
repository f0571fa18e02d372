import { describe, expect, it } from "vitest";
import type { AuditBody } from "../../../src/store/audit-records.js";
import { chainHash } from "../../../src/store/chain-hash.js";
import { CHAIN_START } from "../../../src/store/verify-chain.js";
import { countOf } from "../../support/counts.js";
import { verifyStored } from "../../support/stored-chain.js";
import type { StorePlace } from "../describe-store.js";

const body = (request_id: string, rest: Partial<AuditBody> = {}): AuditBody => ({
  kind: "outcome",
  request_id,
  timestamp: "2026-01-01T00:00:00.000Z",
  actor_id: "ann",
  tool_id: "s:t",
  outcome: "ok",
  ...rest,
});

export function describeAuditRecords(createPlace: () => Promise<StorePlace>): void {
  describe("audit", () => {
    it("chains each record to the one before it", async () => {
      const { audit } = (await createPlace()).open();
      expect(await audit.head()).toEqual(CHAIN_START);
      const marks = await audit.append([body("r1"), body("r2")]);
      const records = await audit.read({});
      expect(records.map(({ seq, hash }) => ({ seq, hash }))).toEqual(marks);
      const [first, second] = records;
      expect(first?.hash).toBe(chainHash(1, CHAIN_START.hash, first?.body ?? ""));
      expect(second?.hash).toBe(chainHash(2, first?.hash ?? "", second?.body ?? ""));
      expect(await audit.head()).toEqual(marks[1]);
    });

    it("chains records without an immediate sync to the others", async () => {
      const { audit } = (await createPlace()).open();
      const all = [
        audit.append([body("r1")]),
        audit.appendSoon([body("r2")]),
        audit.append([body("r3")]),
        audit.appendSoon([body("r4")]),
      ];
      const marks = (await Promise.all(all)).flat();
      expect(marks.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect((await audit.read({})).map(({ seq, hash }) => ({ seq, hash }))).toEqual(marks);
    });

    it("stores every member in canonical JSON", async () => {
      const { audit } = (await createPlace()).open();
      const hostile = 'a\n{"forged":1}\r\u2028\u0085\u001b[31m\0';
      await audit.append([body("r1", { tool_id: hostile, extra: { b: 1, a: [null, true] } })]);
      const [record] = await audit.read({});
      expect(record?.body).not.toContain("\n");
      expect(record?.body).toContain('"extra":{"a":[null,true],"b":1}');
      expect(JSON.parse(record?.body ?? "")).toMatchObject({ tool_id: hostile });
    });

    it("does not fork with many concurrent writers", async () => {
      const place = await createPlace();
      const stores = [place.open(), place.open()];
      const writers = countOf(1000, 200);
      await Promise.all(Array.from({ length: writers }, (_, n) => stores[n % 2]!.audit.append([body(`r${n}`)])));
      expect(await verifyStored(stores[0]!.audit)).toMatchObject({ kind: "whole", records: writers });
    });

    it.each([
      ["since", { since: "2026-01-02" }, ["r2", "r3"]],
      ["until", { until: "2026-01-02" }, ["r1"]],
      ["tool", { tool: "s:u" }, ["r2"]],
      ["actor", { actor: "bob" }, ["r3"]],
      ["outcome", { outcome: "error" }, ["r3"]],
      ["kind", { kind: "intent" }, ["r2"]],
      ["request", { requestId: "r1" }, ["r1"]],
      ["range", { after: 1, before: 3 }, ["r2"]],
      ["limit", { limit: 2 }, ["r1", "r2"]],
      ["the newest first", { newestFirst: true, limit: 2 }, ["r3", "r2"]],
    ] as const)("reads by %s", async (_name, query, expected) => {
      const { audit } = (await createPlace()).open();
      await audit.append([
        body("r1"),
        body("r2", { kind: "intent", timestamp: "2026-01-02T00:00:00.000Z", tool_id: "s:u" }),
        body("r3", { timestamp: "2026-01-03T00:00:00.000Z", actor_id: "bob", outcome: "error" }),
      ]);
      const found = (await audit.read(query)).map((record) => (JSON.parse(record.body) as AuditBody).request_id);
      expect(found).toEqual(expected);
    });

    it("keeps an intent open until its outcome, and reports it as an orphan when its writer has exited", async () => {
      const place = await createPlace();
      const [gone, alive] = [place.open(), place.open()];
      await gone.audit.append([body("r1", { kind: "intent" }), body("r2", { kind: "intent" })]);
      await alive.audit.append([body("r3", { kind: "intent" })]);
      await gone.audit.append([body("r2")]);
      await gone.close();
      const open = await alive.audit.openIntents();
      expect(open.map(({ requestId, isOrphan, seq }) => [requestId, isOrphan, seq])).toEqual([
        ["r1", true, 1],
        ["r3", false, 3],
      ]);
      await alive.audit.append([body("r1", { outcome: "unknown" })]);
      expect(await alive.audit.openIntents()).toHaveLength(1);
    });

    it("closes each orphan once, with any number of attempts, and nothing else", async () => {
      const place = await createPlace();
      const [gone, one, other] = [place.open(), place.open(), place.open()];
      await gone.audit.append([body("r1", { kind: "intent" }), body("r2", { kind: "intent" }), body("r3")]);
      await one.audit.append([body("r4", { kind: "intent" })]);
      await gone.close();
      const ends = ["r1", "r1", "r2", "r3", "r4", "r5"].map((id) => body(id, { outcome: "unknown" }));
      const closed = await Promise.all([one, other, one, other].map((store) => store.audit.closeOrphans(ends)));
      expect(closed.flat()).toHaveLength(2);
      const ended = (await one.audit.read({ outcome: "unknown" })).map(
        ({ body: text }) => JSON.parse(text) as AuditBody,
      );
      expect(ended.map(({ request_id }) => request_id)).toEqual(["r1", "r2"]);
      expect((await other.audit.openIntents()).map(({ requestId }) => requestId)).toEqual(["r4"]);
      expect(await verifyStored(one.audit)).toMatchObject({ kind: "whole", records: 6 });
    });

    it("keeps the newest thousand checkpoints", async () => {
      const { audit } = (await createPlace()).open();
      const rest = { hash: "h", at: 5, keyId: "key", signature: "s" };
      await Promise.all(Array.from({ length: 1002 }, (_, n) => audit.addCheckpoint({ seq: n + 1, ...rest })));
      const kept = await audit.checkpoints();
      expect([kept.length, kept[0]?.seq, kept.at(-1)?.seq]).toEqual([1000, 3, 1002]);
    });

    it("keeps checkpoints in order", async () => {
      const { audit } = (await createPlace()).open();
      const [one, two] = await audit.append([body("r1"), body("r2")]);
      const rest = { at: 5, keyId: "key", signature: "s" };
      await audit.addCheckpoint({ ...two!, ...rest });
      await audit.addCheckpoint({ ...one!, ...rest });
      expect(await audit.checkpoints()).toEqual([
        { ...one, ...rest },
        { ...two, ...rest },
      ]);
    });

    it("removes records only together with a record of the removal, and never beyond an open intent", async () => {
      const { audit } = (await createPlace()).open();
      const [one, two, three] = await audit.append([body("r1"), body("r2", { kind: "intent" }), body("r3")]);
      const rotation = (through: { seq: number; hash: string }) => ({
        after: CHAIN_START,
        through,
        rotation: body("x", { kind: "rotation", through_seq: through.seq, through_hash: through.hash }),
      });
      expect(await audit.remove(rotation(three!))).toBe(false);
      expect(await audit.remove(rotation({ ...one!, hash: "other" }))).toBe(false);
      expect(await audit.remove(rotation(one!))).toBe(true);
      expect(await audit.remove(rotation(one!))).toBe(false);
      expect(await audit.start()).toEqual(one);
      expect((await audit.read({})).map(({ seq }) => seq)).toEqual([2, 3, 4]);
      expect((await audit.read({}))[0]).toMatchObject(two!);
      expect(await verifyStored(audit)).toMatchObject({ kind: "whole", records: 3 });
    });

    it("removes nothing if another process has removed records in the meantime", async () => {
      const place = await createPlace();
      const [one, other] = [place.open(), place.open()];
      const marks = await one.audit.append(["r1", "r2", "r3", "r4"].map((id) => body(id)));
      const told = body("x", { kind: "rotation" });
      expect(await one.audit.remove({ after: CHAIN_START, through: marks[1]!, rotation: told })).toBe(true);
      for (const after of [CHAIN_START, marks[0]!, { ...marks[1]!, hash: "other" }]) {
        expect(await other.audit.remove({ after, through: marks[2]!, rotation: told })).toBe(false);
      }
      expect(await other.audit.start()).toEqual(marks[1]);
      expect(await other.audit.remove({ after: marks[1]!, through: marks[2]!, rotation: told })).toBe(true);
      expect(await one.audit.start()).toEqual(marks[2]);
    });

    it("adds missing outcomes only", async () => {
      const { audit } = (await createPlace()).open();
      await audit.append([body("r1", { kind: "intent" }), body("r2", { kind: "intent" }), body("r2")]);
      const added = await audit.appendMissing(["r1", "r2", "r3", "r3"].map((id) => body(id)));
      expect(added.map(({ seq }) => seq)).toEqual([4, 5]);
      const ids = (await audit.read({ kind: "outcome" })).map(
        ({ body: text }) => (JSON.parse(text) as AuditBody).request_id,
      );
      expect(ids).toEqual(["r2", "r1", "r3"]);
      expect(await audit.openIntents()).toEqual([]);
    });

    it("continues the numbering when all records are removed", async () => {
      const { audit } = (await createPlace()).open();
      const [one] = await audit.append([body("r1")]);
      const told = body("x", { kind: "rotation", through_seq: 1, through_hash: one!.hash });
      await audit.remove({ after: CHAIN_START, through: one!, rotation: told });
      expect((await audit.append([body("r2")]))[0]?.seq).toBe(3);
      expect(await verifyStored(audit)).toMatchObject({ kind: "whole", records: 2 });
    });
  });
}
