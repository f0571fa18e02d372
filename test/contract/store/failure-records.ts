import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

export function describeFailureRecords(createPlace: () => Promise<StorePlace>): void {
  describe("failures", () => {
    const entry = (server: string, failedAt: number, text = "x") => ({ server, fingerprint: "1", failedAt, text });
    const sorted = (entries: readonly { server: string }[]) =>
      entries.toSorted((a, b) => a.server.localeCompare(b.server));

    it("replaces the entry of the same server and connection", async () => {
      const place = await createPlace();
      const { failures } = place.open();
      await failures.write({ ...entry("a", 5, "old"), forgetBefore: 0 });
      await failures.write({ ...entry("a", 6, "new"), forgetBefore: 0 });
      await failures.write({ ...entry("b", 7), forgetBefore: 0 });
      expect(sorted(await place.open().failures.list())).toEqual([entry("a", 6, "new"), entry("b", 7)]);
    });

    it("removes one server, and with a write also entries that are too old", async () => {
      const { failures } = (await createPlace()).open();
      for (const server of ["a", "b"]) await failures.write({ ...entry(server, 5), forgetBefore: 0 });
      await failures.remove({ server: "a", fingerprint: "1" });
      await failures.remove({ server: "b", fingerprint: "2" });
      expect(await failures.list()).toEqual([entry("b", 5)]);
      await failures.write({ ...entry("c", 8), forgetBefore: 6 });
      expect(await failures.list()).toEqual([entry("c", 8)]);
    });
  });
}
