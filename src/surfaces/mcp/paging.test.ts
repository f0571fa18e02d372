import { expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import { toPage } from "./paging.js";

const items = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));
const limits = { items: 2, characters: 10_000 };
const names = (page: { readonly items: readonly JsonObject[] }) => page.items.map(({ name }) => name).join("");

it("splits a list into pages; the last page has no cursor", () => {
  const all = items("a", "b", "c", "d", "e");
  const first = toPage(all, "name", { cursor: undefined, limits });
  const second = toPage(all, "name", { cursor: first.nextCursor, limits });
  const third = toPage(all, "name", { cursor: second.nextCursor, limits });
  expect([first, second, third].map(names)).toEqual(["ab", "cd", "e"]);
  expect(third.nextCursor).toBeUndefined();
});

it.each<[string, JsonObject[], string]>([
  ["an item was inserted before it", items("x", "a", "b", "c"), "c"],
  ["an item before it was removed", items("b", "c", "d"), "cd"],
  ["it was removed", items("a", "x", "c", "d"), "cd"],
  ["all items after it were removed", items("a"), ""],
])("continues after the last item when %s", (_, later, rest) => {
  const { nextCursor } = toPage(items("a", "b", "c"), "name", { cursor: undefined, limits });
  expect(names(toPage(later, "name", { cursor: nextCursor, limits }))).toBe(rest);
});

it("puts at least one item on a page, and no more than the size limit allows", () => {
  const big = items("a".repeat(80), "b".repeat(80));
  expect(toPage(big, "name", { cursor: undefined, limits: { items: 10, characters: 100 } }).items).toHaveLength(1);
});

it.each([1, "", "x", null, {}, Buffer.from("1 zz").toString("base64url")])("rejects %j as a cursor", (cursor) => {
  expect(() => toPage(items("a"), "name", { cursor })).toThrow("The cursor was not issued by this gateway.");
});
