import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { createMemoryResults } from "../store/memory-results.js";
import { createEncryption } from "./encryption.js";
import { resultOptions } from "./options.js";
import { createStoredResults } from "./stored-results.js";
import { limitResult } from "./limit-result.js";

const text = (value: string) => ({ type: "text", text: value });
const newStore = (options: object = {}) => {
  const records = createMemoryResults();
  return createStoredResults({
    records: () => records,
    encryption: () => Promise.resolve(createEncryption(Buffer.alloc(32))),
    options: () => ({ ...resultOptions.parse({}), ...options }),
    now: () => 0,
    log: () => undefined,
  });
};
const CALL = { actorId: "ann", tool: { server: "files", name: "read" } } as const;

describe("limitResult", () => {
  it("returns a result within the limit as the same object", () => {
    const result: CallResult = { content: [text("x".repeat(100))], _meta: { a: 1 }, odd: true };
    expect(limitResult(result, { bytes: 100, storedResults: newStore() }, CALL)).toBe(result);
  });

  it("truncates a long text with a notice and stores the full result in pages", async () => {
    const store = newStore();
    const result: CallResult = { content: [text("é".repeat(100_000))], isError: true, _meta: { a: 1 } };
    const truncated = await limitResult(result, { bytes: 1001, storedResults: store }, CALL);
    expect(truncated.content[0]?.["text"]).toBe("é".repeat(500));
    const [, id = "", pages = ""] =
      /anygpt:\/\/results\/([^/]+)\/1 to anygpt:\/\/results\/[^/]+\/(\d+)/.exec(
        String(truncated.content[1]?.["text"]),
      ) ?? [];
    const read = Array.from({ length: Number(pages) }, (_, n) => store.page(id, n + 1, "ann"));
    expect(JSON.parse((await Promise.all(read)).join(""))).toEqual(result);
    expect(await store.read(id, "ann")).toEqual(result);
    expect(truncated).toMatchObject({ isError: true, _meta: { a: 1 } });
  });

  it("omits structured content that is too large, and items beyond the limit", async () => {
    const result: CallResult = {
      content: [text("short"), text("x".repeat(3000))],
      structuredContent: { a: "y".repeat(5000) },
    };
    const truncated = await limitResult(result, { bytes: 1024, storedResults: newStore() }, CALL);
    expect(truncated).not.toHaveProperty("structuredContent");
    expect(truncated.content[0]).toEqual(text("short"));
    expect(String(truncated.content[1]?.["text"])).toHaveLength(1019);
  });

  it("does not limit images and audio", () => {
    const result: CallResult = { content: [{ type: "image", data: "A".repeat(500_000), mimeType: "image/png" }] };
    expect(limitResult(result, { bytes: 1024, storedResults: newStore() }, CALL)).toBe(result);
  });

  it("passes on items of unknown types", async () => {
    const result = { content: [null, 5, "x", { type: "text", text: "y".repeat(3000) }] } as unknown as CallResult;
    const truncated = await limitResult(result, { bytes: 1024, storedResults: newStore() }, CALL);
    expect(truncated.content.slice(0, 3)).toEqual([null, 5, "x"]);
  });

  it("counts and truncates text in embedded resources", async () => {
    const resource = { type: "resource", resource: { uri: "x:y", text: "z".repeat(5000) } };
    const truncated = await limitResult({ content: [resource] }, { bytes: 1024, storedResults: newStore() }, CALL);
    expect(truncated.content).toHaveLength(1);
  });

  it("says that a result beyond the quotas was not stored", async () => {
    const limit = { bytes: 1024, storedResults: newStore({ maxBytesPerActor: 10 }) };
    const truncated = await limitResult({ content: [text("x".repeat(5000))] }, limit, CALL);
    expect(String(truncated.content[1]?.["text"])).toBe(
      "[Truncated: this answer shows at most 1024 bytes of a larger result. The full result was not stored, because it exceeds the quotas in `results`.]",
    );
  });
});
