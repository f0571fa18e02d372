import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

const SUBJECT = { actor: "ann", tool: "s:t", binding: "h" };
const FIVE_MINUTES = 300_000;
const question = (id: string, now = 1000) => ({
  ...SUBJECT,
  id,
  shown: "s:t {}",
  selfService: true,
  now,
  ttlMs: FIVE_MINUTES,
});
const forPerson = (id: string, now = 1000) => ({ ...question(id, now), selfService: false });
const yes = { kind: "approved", by: "person", now: 2000, ttlMs: FIVE_MINUTES } as const;
const no = { ...yes, kind: "denied" } as const;

export function describeApprovals(createPlace: () => Promise<StorePlace>): void {
  describe("approvals", () => {
    it("creates one approval request for the same call", async () => {
      const { approvals } = (await createPlace()).open();
      const asked = await approvals.ask(question("a1"));
      expect(asked).toEqual({
        ...SUBJECT,
        id: "a1",
        state: "pending",
        shown: "s:t {}",
        selfService: true,
        askedAt: 1000,
        expiresAt: 1000 + FIVE_MINUTES,
      });
      expect(await approvals.ask(question("a2", 1001))).toEqual(asked);
      expect(await approvals.list(1002)).toEqual([asked]);
    });

    it("lets exactly one of a hundred callers redeem a user's approval", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      expect(await approvals.redeem("a1", SUBJECT, "approved", 1500)).toBeUndefined();
      expect(await approvals.decide("a1", yes)).toMatchObject({
        state: "approved",
        decidedBy: "person",
        decidedAt: 2000,
      });
      const tries = Array.from({ length: 100 }, () => approvals.redeem("a1", SUBJECT, "approved", 3000));
      expect((await Promise.all(tries)).filter((approval) => approval !== undefined)).toMatchObject([
        { id: "a1", state: "redeemed" },
      ]);
    });

    it("lets the request itself be redeemed if that is enough", async () => {
      const { approvals } = (await createPlace()).open();
      expect(await approvals.redeem("a1", SUBJECT, "pending", 1000)).toBeUndefined();
      await approvals.ask(question("a1"));
      expect(await approvals.redeem("a1", SUBJECT, "pending", 1001)).toMatchObject({ id: "a1" });
      expect(await approvals.redeem("a1", SUBJECT, "pending", 1002)).toBeUndefined();
    });

    it.each([
      ["actor", { ...SUBJECT, actor: "bob" }],
      ["tool", { ...SUBJECT, tool: "s:u" }],
      ["arguments", { ...SUBJECT, binding: "i" }],
    ])("is not valid for another %s", async (_name, other) => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      await approvals.decide("a1", yes);
      expect(await approvals.redeem("a1", other, "approved", 2001)).toBeUndefined();
      expect(await approvals.lookup(other, 2001)).toBeUndefined();
      expect(await approvals.redeem("a1", SUBJECT, "approved", 2001)).toMatchObject({ state: "redeemed" });
    });

    it("is not valid under another id", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      await approvals.decide("a1", yes);
      expect(await approvals.redeem("a2", SUBJECT, "approved", 2001)).toBeUndefined();
    });

    it("keeps a request that a user must answer, even if another caller repeats it", async () => {
      const { approvals } = (await createPlace()).open();
      expect(await approvals.ask(forPerson("a1"))).toMatchObject({ selfService: false });
      expect(await approvals.ask(question("a2", 1001))).toMatchObject({ id: "a1", selfService: false });
      expect(await approvals.redeem("a1", SUBJECT, "pending", 1002)).toBeUndefined();
      await approvals.decide("a1", yes);
      expect(await approvals.redeem("a1", SUBJECT, "approved", 2001)).toMatchObject({ id: "a1" });
    });

    it("no longer lets the caller redeem a request that is repeated where only a user may answer", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      expect(await approvals.ask(forPerson("a2", 1001))).toMatchObject({ id: "a1", selfService: false });
      expect(await approvals.redeem("a1", SUBJECT, "pending", 1002)).toBeUndefined();
      expect(await approvals.list(1003)).toMatchObject([{ id: "a1", selfService: false }]);
    });

    it("looks up the newest request, its answer, and the last denial if it was used", async () => {
      const { approvals } = (await createPlace()).open();
      const found = async (now: number) => {
        const approval = await approvals.lookup(SUBJECT, now);
        return approval && [approval.id, approval.state];
      };
      expect(await found(1000)).toBeUndefined();
      await approvals.ask(question("a1"));
      expect(await found(1001)).toEqual(["a1", "pending"]);
      await approvals.decide("a1", no);
      expect(await found(2001)).toEqual(["a1", "denied"]);
      await approvals.ask(question("a2", 2002));
      expect(await found(2003)).toEqual(["a2", "pending"]);
      await approvals.decide("a2", { ...yes, now: 2004 });
      expect(await found(2005)).toEqual(["a2", "approved"]);
      await approvals.redeem("a2", SUBJECT, "approved", 2006);
      expect(await found(2007)).toEqual(["a1", "denied"]);
      expect(await found(2000 + FIVE_MINUTES)).toBeUndefined();
    });

    it("looks up the newest request even if the clock was set back", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1", 2000));
      await approvals.decide("a1", no);
      await approvals.ask(question("a2", 1500));
      expect(await approvals.lookup(SUBJECT, 1501)).toMatchObject({ id: "a2", state: "pending" });
    });

    it("does not expire later when the clock is set back", async () => {
      const { approvals } = (await createPlace()).open();
      const noon = 12 * 3_600_000;
      await approvals.ask(question("a1", noon));
      await approvals.decide("a1", { ...yes, now: noon });
      const before = noon - FIVE_MINUTES;
      expect(await approvals.lookup(SUBJECT, before)).toBeUndefined();
      expect(await approvals.redeem("a1", SUBJECT, "approved", before)).toBeUndefined();
      expect(await approvals.lookup(SUBJECT, before + 1)).toMatchObject({ state: "approved" });
    });

    it("looks up an approval before a newer request", async () => {
      const { approvals } = (await createPlace()).open();
      const noon = 12 * 3_600_000;
      await approvals.ask(question("a1", noon));
      await approvals.decide("a1", { ...yes, now: noon });
      await approvals.ask(question("a2", noon - FIVE_MINUTES));
      expect(await approvals.lookup(SUBJECT, noon - FIVE_MINUTES)).toMatchObject({ id: "a2" });
      expect(await approvals.lookup(SUBJECT, noon - 1)).toMatchObject({ id: "a1", state: "approved" });
    });

    it("expires", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      const end = 1000 + FIVE_MINUTES;
      expect(await approvals.find("a1", end)).toMatchObject({ state: "expired" });
      expect(await approvals.decide("a1", { ...yes, now: end })).toBeUndefined();
      expect(await approvals.redeem("a1", SUBJECT, "pending", end)).toBeUndefined();
      expect(await approvals.list(end)).toEqual([]);
      expect(await approvals.list(end, "expired")).toHaveLength(1);
      expect(await approvals.ask(question("a2", end))).toMatchObject({ id: "a2" });
    });

    it("keeps at most the newest hundred unanswered requests of one caller", async () => {
      const { approvals } = (await createPlace()).open();
      const about = (n: number) => ({ ...forPerson(`a${n}`, 1000 + n), binding: `h${n}` });
      await approvals.ask({ ...forPerson("b0", 999), actor: "bob" });
      await approvals.ask(about(0));
      await approvals.decide("a0", no);
      for (let n = 1; n <= 150; n += 1) await approvals.ask(about(n));
      const waiting = (await approvals.list(2000)).filter(({ actor }) => actor === "ann");
      expect(waiting.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => `a${150 - n}`));
      expect(await approvals.decide("a50", yes)).toBeUndefined();
      expect(await approvals.decide("a51", yes)).toMatchObject({ state: "approved" });
      expect(await approvals.find("a0", 2001)).toMatchObject({ state: "denied" });
      expect(await approvals.find("b0", 2001)).toMatchObject({ state: "pending" });
      const end = 10_000 + FIVE_MINUTES;
      await approvals.ask({ ...about(999), now: end });
      expect(await approvals.list(end, "expired")).toHaveLength(99 + 3);
    });

    it("keeps at most the newest hundred used approvals of one caller", async () => {
      const { approvals } = (await createPlace()).open();
      for (let n = 1; n <= 120; n += 1) {
        const asked = { ...question(`a${n}`, 1000 + n), binding: `h${n}` };
        await approvals.ask(asked);
        await approvals.redeem(asked.id, { ...SUBJECT, binding: asked.binding }, "pending", 1000 + n);
      }
      expect((await approvals.list(2000, "redeemed")).length).toBeLessThanOrEqual(101);
      expect(await approvals.find("a120", 2000)).toMatchObject({ state: "redeemed" });
    });

    it("lists pending requests, however many others came later", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(forPerson("a0"));
      for (let n = 1; n <= 1001; n += 1) {
        await approvals.ask({ ...question(`b${n}`, 1000 + n), actor: `bob${n}` });
        await approvals.decide(`b${n}`, { ...no, now: 1000 + n });
      }
      expect(await approvals.list(3000)).toMatchObject([{ id: "a0" }]);
    });

    it("stays denied for the configured time", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      await approvals.decide("a1", no);
      expect(await approvals.decide("a1", yes)).toBeUndefined();
      expect(await approvals.redeem("a1", SUBJECT, "pending", 2001)).toBeUndefined();
      expect(await approvals.redeem("a1", SUBJECT, "approved", 2001)).toBeUndefined();
      expect(await approvals.find("a1", 2000 + FIVE_MINUTES - 1)).toMatchObject({ state: "denied" });
      expect(await approvals.find("a1", 2000 + FIVE_MINUTES)).toMatchObject({ state: "expired", decidedBy: "person" });
    });

    it("stays redeemed permanently", async () => {
      const { approvals } = (await createPlace()).open();
      await approvals.ask(question("a1"));
      await approvals.redeem("a1", SUBJECT, "pending", 1001);
      expect(await approvals.find("a1", 10 * FIVE_MINUTES)).toMatchObject({ state: "redeemed" });
    });
  });
}
