import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/store/store.js";
import type { StorePlace } from "../describe-store.js";

const HOUR_MS = 3_600_000;
const request = (now: number, rest: { limit?: number; actor?: string; bucket?: string } = {}) => ({
  bucket: "b",
  actor: "ann",
  limit: 3,
  windowMs: 60_000,
  now,
  ...rest,
});

async function take(store: Store, now: number, rest = {}): Promise<boolean> {
  return (await store.rates.take(request(now, rest))).kind === "taken";
}

export function describeRateWindows(createPlace: () => Promise<StorePlace>): void {
  describe("rates", () => {
    it("lets exactly the limit pass with concurrent callers", async () => {
      const { rates } = (await createPlace()).open();
      const takes = Array.from({ length: 1000 }, () => rates.take(request(HOUR_MS, { limit: 100 })));
      const kinds = (await Promise.all(takes)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "taken")).toHaveLength(100);
    });

    it("counts down and reports when to retry", async () => {
      const { rates } = (await createPlace()).open();
      const now = HOUR_MS + 1234;
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push(await rates.take(request(now)));
      expect(answers).toMatchObject([{ remaining: 2 }, { remaining: 1 }, { remaining: 0 }, { kind: "refused" }]);
      const refused = answers[3];
      const wait = refused?.kind === "refused" ? refused.retryAfterMs : 0;
      expect(wait).toBeGreaterThanOrEqual(60_000);
      expect(wait).toBeLessThanOrEqual(66_000);
      expect(await rates.take(request(now + wait - 1))).toMatchObject({ kind: "refused" });
      expect(await rates.take(request(now + wait))).toMatchObject({ kind: "taken" });
    });

    it.each([
      ["actor", { actor: "bob" }],
      ["bucket", { bucket: "c" }],
    ])("counts each %s separately", async (_name, other) => {
      const store = (await createPlace()).open();
      for (let n = 0; n < 3; n += 1) await take(store, HOUR_MS);
      expect([await take(store, HOUR_MS), await take(store, HOUR_MS, other)]).toEqual([false, true]);
    });

    it("returns a call that was given back", async () => {
      const { rates } = (await createPlace()).open();
      const takes = await Promise.all([1, 2, 3].map(() => rates.take(request(HOUR_MS))));
      const [first] = takes;
      if (first?.kind === "taken") await rates.giveBack(first.ticket);
      expect(await rates.take(request(HOUR_MS))).toMatchObject({ kind: "taken" });
      expect(await rates.take(request(HOUR_MS))).toMatchObject({ kind: "refused" });
    });

    it("previews a take without taking", async () => {
      const store = (await createPlace()).open();
      const now = HOUR_MS + 1234;
      expect(await store.rates.peek(request(now))).toEqual({ kind: "free", remaining: 3 });
      for (let n = 0; n < 3; n += 1) await take(store, now);
      const refused = await store.rates.take(request(now));
      expect(await store.rates.peek(request(now))).toEqual(refused);
      expect(await store.rates.peek(request(HOUR_MS - 60_000))).toMatchObject({ kind: "refused" });
      expect(await store.rates.peek(request(now + 66_000))).toEqual({ kind: "free", remaining: 3 });
    });

    it.each([
      ["is set back", HOUR_MS],
      ["restarts at zero", 0],
    ])(
      "allows no additional calls when the clock %s, and blocks no caller longer than a window",
      async (_name, now) => {
        const store = (await createPlace()).open();
        for (let n = 0; n < 3; n += 1) await take(store, 2 * HOUR_MS);
        expect(await take(store, now)).toBe(false);
        expect(await take(store, now + 66_000)).toBe(true);
      },
    );

    it("never exceeds the limit in any window", async () => {
      const place = await createPlace();
      const store = place.open();
      let bucket = 0;
      const waits = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 10, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(waits, async (pauses) => {
          bucket += 1;
          let now = HOUR_MS;
          const passed: number[] = [];
          for (const pause of pauses) {
            now += pause;
            if (await take(store, now, { bucket: `b${bucket}` })) passed.push(now);
          }
          for (const from of passed) {
            expect(passed.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(3);
          }
        }),
        { numRuns: 15 },
      );
    });
  });
}
