import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

export function describeCatalogRecords(createPlace: () => Promise<StorePlace>): void {
  describe("catalog", () => {
    const entry = (server: string, fingerprint: string, text: string) => ({ server, fingerprint, listedAt: 5, text });

    it("returns texts in the order of the keys, in their last version", async () => {
      const place = await createPlace();
      const { catalog } = place.open();
      await catalog.write(entry("a", "1", "old"));
      await catalog.write(entry("a", "1", "new"));
      await catalog.write(entry("a", "2", "other"));
      const keys = [
        { server: "a", fingerprint: "2" },
        { server: "none", fingerprint: "1" },
        { server: "a", fingerprint: "1" },
      ];
      expect(await place.open().catalog.read(keys)).toEqual(["other", undefined, "new"]);
    });

    it("removes old entries", async () => {
      const { catalog } = (await createPlace()).open();
      await catalog.write(entry("a", "1", "x"));
      await catalog.write({ ...entry("b", "1", "y"), listedAt: 6 });
      await catalog.forget(6);
      expect(await catalog.read(["a", "b"].map((server) => ({ server, fingerprint: "1" })))).toEqual([undefined, "y"]);
    });
  });
}
