import { describe, expect, it } from "vitest";
import type { StorePlace } from "../describe-store.js";

const seen = (rank: string, toolId = "t", folder = "/f") => ({
  folder,
  toolId,
  version: `v${rank}`,
  validatedAt: "2026-01-01T00:00:00Z",
  rank,
});
const KEY = { folder: "/f", toolId: "t" };

export function describeToolFileVersions(createPlace: () => Promise<StorePlace>): void {
  describe("versions of tool files", () => {
    it("are raised and never lowered, and the current version is returned", async () => {
      const { toolFiles } = (await createPlace()).open();
      expect(await toolFiles.seen(KEY)).toBeUndefined();
      expect(await toolFiles.note([seen("2")])).toEqual([seen("2")]);
      expect(await toolFiles.note([seen("1")])).toEqual([seen("2")]);
      expect(await toolFiles.note([seen("3"), seen("2")])).toEqual([seen("3"), seen("3")]);
      expect(await toolFiles.seen(KEY)).toEqual(seen("3"));
    });

    it("are lowered by a user's decision and raised again from there", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.note([seen("3")]);
      await toolFiles.accept(seen("1"));
      expect(await toolFiles.seen(KEY)).toEqual(seen("1"));
      expect(await toolFiles.note([seen("2")])).toEqual([seen("2")]);
    });

    it("can be accepted before the first file was seen", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.accept(seen("1"));
      expect(await toolFiles.seen(KEY)).toEqual(seen("1"));
    });

    it("are separate for each folder and tool", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.note([seen("3", "b"), seen("2", "a"), seen("9", "a", "/g")]);
      expect(await toolFiles.list("/f")).toEqual([seen("2", "a"), seen("3", "b")]);
      expect(await toolFiles.list("/g")).toEqual([seen("9", "a", "/g")]);
      expect(await toolFiles.list("/none")).toEqual([]);
    });

    it("are compared as text, byte by byte", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.note([seen("a")]);
      expect(await toolFiles.note([seen("B")])).toEqual([seen("a")]);
      expect(await toolFiles.note([seen("aa")])).toEqual([seen("aa")]);
    });

    it("survive the process that stored them", async () => {
      const place = await createPlace();
      const store = place.open();
      await store.toolFiles.note([seen("2")]);
      await store.close();
      expect(await place.open().toolFiles.note([seen("1")])).toEqual([seen("2")]);
    });
  });
}
