import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { createStoredResults } from "./stored-results.js";
import { limitResult } from "./limit-result.js";

const text = (value: string) => ({ type: "text", text: value });
const newStore = () => createStoredResults(1000, () => 0);

describe("limitResult", () => {
  it("returns a result within the limit as the same object", () => {
    const result: CallResult = { content: [text("x".repeat(100))], _meta: { a: 1 }, odd: true };
    expect(limitResult(result, { bytes: 100, storedResults: newStore() }, "ann")).toBe(result);
  });

  it("truncates a long text with a notice and stores the full result in pages", () => {
    const store = newStore();
    const result: CallResult = { content: [text("é".repeat(100_000))], isError: true, _meta: { a: 1 } };
    const truncated = limitResult(result, { bytes: 1001, storedResults: store }, "ann");
    expect(truncated.content[0]?.["text"]).toBe("é".repeat(500));
    const [, id = "", pages = ""] =
      /anygpt:\/\/results\/([^/]+)\/1 to anygpt:\/\/results\/[^/]+\/(\d+)/.exec(
        String(truncated.content[1]?.["text"]),
      ) ?? [];
    const whole = Array.from({ length: Number(pages) }, (_, n) => store.page(id, n + 1, "ann")).join("");
    expect(JSON.parse(whole)).toEqual(result);
    expect(truncated).toMatchObject({ isError: true, _meta: { a: 1 } });
  });

  it("omits structured content that is too large, and items beyond the limit", () => {
    const result: CallResult = {
      content: [text("short"), text("x".repeat(3000))],
      structuredContent: { a: "y".repeat(5000) },
    };
    const truncated = limitResult(result, { bytes: 1024, storedResults: newStore() }, "ann");
    expect(truncated).not.toHaveProperty("structuredContent");
    expect(truncated.content[0]).toEqual(text("short"));
    expect(String(truncated.content[1]?.["text"])).toHaveLength(1019);
  });

  it("does not limit images and audio", () => {
    const result: CallResult = { content: [{ type: "image", data: "A".repeat(500_000), mimeType: "image/png" }] };
    expect(limitResult(result, { bytes: 1024, storedResults: newStore() }, "ann")).toBe(result);
  });

  it("passes on items of unknown types", () => {
    const result = { content: [null, 5, "x", { type: "text", text: "y".repeat(3000) }] } as unknown as CallResult;
    expect(limitResult(result, { bytes: 1024, storedResults: newStore() }, "ann").content.slice(0, 3)).toEqual([
      null,
      5,
      "x",
    ]);
  });

  it("counts and truncates text in embedded resources", () => {
    const resource = { type: "resource", resource: { uri: "x:y", text: "z".repeat(5000) } };
    expect(
      limitResult({ content: [resource] }, { bytes: 1024, storedResults: newStore() }, "ann").content,
    ).toHaveLength(1);
  });
});

describe("createStoredResults", () => {
  it("deletes a result when it expires", () => {
    const clock = { now: 0 };
    const store = createStoredResults(1000, () => clock.now);
    const { id } = store.store({ a: 1 }, "ann");
    expect(store.page(id, 1, "ann")).toBe('{"a":1}');
    clock.now = 1001;
    expect(store.page(id, 1, "ann")).toBeUndefined();
  });

  it("shows a result only to the actor of its call", () => {
    const store = newStore();
    const { id } = store.store({ a: 1 }, "ann");
    expect(store.page(id, 1, "bob")).toBeUndefined();
    expect(store.page(id, 1, "ann")).toBe('{"a":1}');
  });

  it("evicts the oldest results when the total is too large", () => {
    const store = newStore();
    const first = store.store("x".repeat(40 * 1024 * 1024), "ann");
    const second = store.store("x".repeat(40 * 1024 * 1024), "ann");
    expect(store.page(first.id, 1, "ann")).toBeUndefined();
    expect(store.page(second.id, 1, "ann")).toHaveLength(65_536);
  });

  it.each([0, -1, 2, Number.NaN])("has no page %s of a short result", (page) => {
    const store = newStore();
    expect(store.page(store.store("short", "ann").id, page, "ann")).toBeUndefined();
  });
});
