import { expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { collectGarbage } from "../../test/support/garbage.js";
import { createStoredResults } from "./stored-results.js";

const PAGE = 65_536;

it.each([
  ["plain text", "x".repeat(3 * PAGE)],
  ["text of other scripts", "дом é ".repeat(PAGE)],
  ["surrogate pairs at the end of a page", "😀".repeat(PAGE)],
  ["lone surrogates", `\ud83d${"y".repeat(PAGE)}\ude00`],
  ["one-byte and two-byte characters", `${"ÿ".repeat(PAGE)}€`],
])("returns %s unchanged", (_, text) => {
  const results = createStoredResults(1000, () => 0);
  const { id, pages, characters } = results.store({ text }, "ann");
  const whole = Array.from({ length: pages }, (__, page) => results.page(id, page + 1, "ann")).join("");
  expect(whole).toBe(JSON.stringify({ text }));
  expect(characters).toBe(whole.length);
  expect(results.page(id, pages + 1, "ann")).toBeUndefined();
});

it("returns nothing to other actors, and nothing after expiry", () => {
  let now = 0;
  const results = createStoredResults(1000, () => now);
  const { id } = results.store({ text: "x" }, "ann");
  expect(results.page(id, 1, "bob")).toBeUndefined();
  expect(results.page(id, 1, "ann")).toBe('{"text":"x"}');
  now = 1000;
  expect(results.page(id, 1, "ann")).toBeUndefined();
});

it("frees memory after expiry without a further call", async () => {
  const bytes = 32 * 1024 * 1024;
  const held = (): number => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  // Buffers of earlier tests are freed in the background after a collection.
  const settled = async (last = Infinity): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve));
    const now = held();
    return now < last ? await settled(now) : now;
  };
  const before = await settled();
  const results = createStoredResults(100, () => 0);
  const { id } = results.store("x".repeat(bytes), "ann");
  expect(held()).toBeGreaterThan(before + bytes / 2);
  await eventually(() => held() < before + bytes / 2);
  expect(results.page(id, 1, "ann")).toBeUndefined();
});
