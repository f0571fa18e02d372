import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

const KEY = { server: "s", fingerprint: "f", tool: "t" };
const seen = (hash: string, now: number, trustNew = true) => ({
  server: "s",
  fingerprint: "f",
  definitions: [{ tool: "t", hash, definition: `text ${hash}` }],
  now,
  trustNew,
});

export function describePins(createPlace: () => Promise<StorePlace>): void {
  describe("pins", () => {
    it("trusts the first definition, and shows both texts when it changes", async () => {
      const { pins } = (await createPlace()).open();
      expect(await pins.see(seen("h1", 1))).toEqual([]);
      expect(await pins.see(seen("h2", 2))).toEqual([
        {
          ...KEY,
          firstSeenAt: 1,
          approved: { hash: "h1", definition: "text h1" },
          approvedAt: 1,
          current: { hash: "h2", definition: "text h2" },
          changedAt: 2,
          isApproved: false,
        },
      ]);
    });

    it("keeps a repeated change quarantined, and accepts the original again", async () => {
      const { pins } = (await createPlace()).open();
      await pins.see(seen("h1", 1));
      for (let now = 2; now < 7; now += 1) expect(await pins.see(seen("h2", now))).toHaveLength(1);
      expect(await pins.find(KEY)).toMatchObject({ changedAt: 2, isApproved: false });
      expect(await pins.see(seen("h1", 8))).toEqual([]);
      expect(await pins.list({ onlyChanged: true })).toEqual([]);
    });

    it("approves exactly the definition that the user reviewed", async () => {
      const { pins } = (await createPlace()).open();
      await pins.see(seen("h1", 1));
      await pins.see(seen("h2", 2));
      await pins.see(seen("h3", 3));
      expect(await pins.approve(KEY, { hash: "h2", by: "ann", now: 4 })).toBeUndefined();
      expect(await pins.approve(KEY, { hash: "h3", by: "ann", now: 5 })).toMatchObject({
        isApproved: true,
        approved: { hash: "h3" },
        approvedBy: "ann",
        approvedAt: 5,
      });
    });

    it("trusts no new definition in strict mode", async () => {
      const { pins } = (await createPlace()).open();
      const [pin] = await pins.see(seen("h1", 1, false));
      expect(pin).toMatchObject({ isApproved: false });
      expect(pin).not.toHaveProperty("approved");
    });

    it("treats the same name with another connection as another server", async () => {
      const { pins } = (await createPlace()).open();
      await pins.see(seen("h1", 1));
      await pins.see(seen("h2", 2));
      const other = { ...KEY, fingerprint: "g" };
      expect(await pins.see({ ...seen("h3", 3), fingerprint: "g" })).toEqual([]);
      expect(await pins.find(other)).toMatchObject({ ...other, current: { hash: "h3" }, isApproved: true });
      expect(await pins.approve(other, { hash: "h2", by: "ann", now: 4 })).toBeUndefined();
      expect(await pins.approve(KEY, { hash: "h2", by: "ann", now: 5 })).toMatchObject({ ...KEY, isApproved: true });
      expect(await pins.list({ server: "s" })).toHaveLength(2);
    });

    it("lists entries that match all filters, in order", async () => {
      const { pins } = (await createPlace()).open();
      for (const [server, fingerprint] of [
        ["b", "f"],
        ["a", "g"],
        ["a", "f"],
      ] as const) {
        await pins.see({ ...seen("h1", 1), server, fingerprint });
      }
      await pins.see({ ...seen("h2", 2), server: "a", fingerprint: "g" });
      await pins.see({ ...seen("h1", 2, false), server: "c", fingerprint: "f" });
      const listed = async (filter: Parameters<typeof pins.list>[0]) =>
        (await pins.list(filter)).map(({ server, fingerprint }) => server + fingerprint);
      expect(await listed({})).toEqual(["af", "ag", "bf", "cf"]);
      expect(await listed({ fingerprint: "f" })).toEqual(["af", "bf", "cf"]);
      expect(await listed({ server: "a", fingerprint: "g" })).toEqual(["ag"]);
      expect(await listed({ onlyChanged: true })).toEqual(["ag", "cf"]);
      expect(await listed({ onlyChanged: true, fingerprint: "f" })).toEqual(["cf"]);
      expect(await listed({ onlyChanged: true, server: "a" })).toEqual(["ag"]);
      expect(await listed({ onlyChanged: true, server: "a", fingerprint: "f" })).toEqual([]);
      expect(await listed({ onlyChanged: false, server: "b" })).toEqual(["bf"]);
    });

    it("lists by server", async () => {
      const { pins } = (await createPlace()).open();
      await pins.see(seen("h1", 1));
      await pins.see({ ...seen("h1", 1), server: "other" });
      expect((await pins.list({})).map(({ server }) => server)).toEqual(["other", "s"]);
      expect(await pins.list({ server: "s" })).toHaveLength(1);
      expect(await pins.find({ ...KEY, tool: "none" })).toBeUndefined();
    });
  });
}
