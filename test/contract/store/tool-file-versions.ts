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
    it("are raised and never lowered, and tell what stands", async () => {
      const { toolFiles } = (await createPlace()).open();
      expect(await toolFiles.seen(KEY)).toBeUndefined();
      expect(await toolFiles.note([seen("2")])).toEqual([seen("2")]);
      expect(await toolFiles.note([seen("1")])).toEqual([seen("2")]);
      expect(await toolFiles.note([seen("3"), seen("2")])).toEqual([seen("3"), seen("3")]);
      expect(await toolFiles.seen(KEY)).toEqual(seen("3"));
    });

    it("are lowered by a person's word, from which they are raised again", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.note([seen("3")]);
      await toolFiles.accept(seen("1"));
      expect(await toolFiles.seen(KEY)).toEqual(seen("1"));
      expect(await toolFiles.note([seen("2")])).toEqual([seen("2")]);
    });

    it("can be accepted before anything was seen", async () => {
      const { toolFiles } = (await createPlace()).open();
      await toolFiles.accept(seen("1"));
      expect(await toolFiles.seen(KEY)).toEqual(seen("1"));
    });

    it("belong to one folder and one tool each", async () => {
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

    it("outlive the process that saw them", async () => {
      const place = await createPlace();
      const store = place.open();
      await store.toolFiles.note([seen("2")]);
      await store.close();
      expect(await place.open().toolFiles.note([seen("1")])).toEqual([seen("2")]);
    });
  });
}
