import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

const KEY = { server: "s", connection: "c", actor: "a" };
const draft = (text: string, now = 1) => ({ ...KEY, issuer: "https://i.example", sealed: Buffer.from(text), now });
const claim = (version: number, holder: string, now = 10) => ({ version, holder, now, ttlMs: 1000 });
const textOf = (stored: { sealed: Uint8Array } | undefined) => stored && Buffer.from(stored.sealed).toString();

export function describeCredentials(createPlace: () => Promise<StorePlace>): void {
  describe("credentials", () => {
    it("are stored per server, address and actor, and visible to every process with the store", async () => {
      const place = await createPlace();
      const { credentials } = place.open();
      await credentials.save(draft("one"));
      await credentials.save({ ...draft("two"), actor: "b" });
      await credentials.save({ ...draft("three"), server: "t" });
      const other = place.open().credentials;
      expect(textOf(await other.find(KEY))).toBe("one");
      expect(await other.find({ ...KEY, connection: "elsewhere" })).toBeUndefined();
      expect((await other.list("s")).map(textOf)).toEqual(["one", "two"]);
      expect((await other.list()).map(textOf)).toEqual(["one", "two", "three"]);
    });

    it("are renewed by one holder at a time", async () => {
      const place = await createPlace();
      const [first, second] = [place.open().credentials, place.open().credentials];
      const { version } = await first.save(draft("old"));
      expect(await first.claim(KEY, claim(version, "h1"))).toMatchObject({ kind: "claimed" });
      expect(await second.claim(KEY, claim(version, "h2"))).toEqual({ kind: "held" });
      const renewed = await first.renew(draft("new", 20), { version, holder: "h1" });
      expect(textOf(renewed)).toBe("new");
      expect(await second.claim(KEY, claim(version, "h2"))).toEqual({ kind: "changed", credential: renewed });
      expect(await second.claim(KEY, claim(renewed!.version, "h2"))).toMatchObject({ kind: "claimed" });
    });

    it("can be renewed again after the lock is released, has expired, or its store was closed", async () => {
      const place = await createPlace();
      const first = place.open();
      const { credentials } = place.open();
      const { version } = await credentials.save(draft("old"));
      await first.credentials.claim(KEY, claim(version, "h1"));
      await first.credentials.release(KEY, { version, holder: "h1" });
      expect(await credentials.claim(KEY, claim(version, "h2"))).toMatchObject({ kind: "claimed" });
      expect(await first.credentials.claim(KEY, claim(version, "h3", 1009))).toEqual({ kind: "held" });
      expect(await first.credentials.claim(KEY, claim(version, "h3", 1010))).toMatchObject({ kind: "claimed" });
      expect(await credentials.claim(KEY, claim(version, "h4", 1011))).toEqual({ kind: "held" });
      await first.close();
      expect(await credentials.claim(KEY, claim(version, "h4", 1012))).toMatchObject({ kind: "claimed" });
    });

    it("reject the result of a renewal after a newer sign-in", async () => {
      const { credentials } = (await createPlace()).open();
      const { version } = await credentials.save(draft("old"));
      await credentials.claim(KEY, claim(version, "h1"));
      const next = await credentials.save(draft("signed in again", 2));
      expect(await credentials.renew(draft("late"), { version, holder: "h1" })).toBeUndefined();
      expect(await credentials.refuse(KEY, { version, holder: "h1" })).toBe(false);
      expect(await credentials.find(KEY)).toEqual(next);
    });

    it("of another issuer are never replaced by a renewal", async () => {
      const { credentials } = (await createPlace()).open();
      const { version } = await credentials.save(draft("old"));
      const foreign = { ...draft("foreign"), issuer: "https://other.example" };
      expect(await credentials.renew(foreign, { version, holder: "h1" })).toBeUndefined();
      expect(textOf(await credentials.find(KEY))).toBe("old");
    });

    it("stay after a rejection until the next sign-in", async () => {
      const { credentials } = (await createPlace()).open();
      const { version } = await credentials.save(draft("old"));
      await credentials.claim(KEY, claim(version, "h1"));
      expect(await credentials.refuse(KEY, { version, holder: "h1" })).toBe(true);
      expect(await credentials.find(KEY)).toMatchObject({ isRefused: true, version });
      await credentials.save(draft("new"));
      expect(await credentials.find(KEY)).toMatchObject({ isRefused: false });
    });

    it("that were removed are not restored by a renewal, and their versions are never reused", async () => {
      const { credentials } = (await createPlace()).open();
      const { version } = await credentials.save(draft("old"));
      await credentials.claim(KEY, claim(version, "h1"));
      expect(textOf(await credentials.remove(KEY))).toBe("old");
      expect(await credentials.remove(KEY)).toBeUndefined();
      expect(await credentials.renew(draft("late"), { version, holder: "h1" })).toBeUndefined();
      expect(await credentials.claim(KEY, claim(version, "h1"))).toEqual({ kind: "changed" });
      expect((await credentials.save(draft("new"))).version).toBeGreaterThan(version);
    });
  });
}
