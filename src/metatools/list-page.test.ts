import { describe, expect, it } from "vitest";
import { failure } from "../../test/support/failure.js";
import { pageOf } from "./list-page.js";

const NAMES = Array.from({ length: 25 }, (_, n) => `n${n}`);
const page = (all: readonly string[], cursor?: string, list: readonly unknown[] = ["a"]) =>
  pageOf(all, { cursor, limit: 10, list, keyOf: (name) => name });

describe("pageOf", () => {
  it("returns every item once, and the total on each page", () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { items, members } = page(NAMES, cursor);
      expect(members.total).toBe(25);
      seen.push(...items);
      cursor = members.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(NAMES);
  });

  it("adds nothing to a list that fits on one page", () => {
    expect(page(NAMES.slice(0, 10))).toEqual({ items: NAMES.slice(0, 10), members: {} });
  });

  it.each<[string, (cursor: string) => unknown, RegExp]>([
    ["text", () => page(NAMES, "abc"), /not issued by this gateway/u],
    ["an empty string", () => page(NAMES, ""), /not issued by this gateway/u],
    ["a changed cursor", (cursor) => page(NAMES, `${cursor}=`), /not issued by this gateway/u],
    ["a cursor of another list", (cursor) => page(NAMES, cursor, ["b"]), /out of date/u],
    ["a cursor of a list that has changed", (cursor) => page([...NAMES, "new"], cursor), /out of date/u],
    ["a cursor of a list that fits on one page now", (cursor) => page(["n1"], cursor), /out of date/u],
  ])("rejects %s and says how to go on", async (_, request, message) => {
    const cursor = page(NAMES).members.next_cursor ?? "";
    const error = await failure(Promise.resolve().then(() => request(cursor)));
    expect(error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringMatching(message) });
    expect(error.hint).toContain("Leave out the cursor");
  });
});
