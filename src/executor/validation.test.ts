import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";
import { createValidation } from "./validation.js";

const toolWith = (inputSchema: JsonObject): Tool => ({
  id: "s:t",
  server: "s",
  name: "t",
  definition: { name: "t", inputSchema },
  hash: sha256(canonicalJson(inputSchema)),
  enabled: true,
  tags: [],
});
const validation = createValidation(2000);
afterAll(() => validation.close());

/** Counts event loop iterations while the promise is pending: zero if the event loop was blocked. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await work.catch(() => undefined);
  clearInterval(timer);
  return turns;
}

describe("validation", () => {
  it.each([
    ["on the main thread if its schema is plain", {}],
    ["in the worker otherwise", { allOf: [{}] }],
  ])("checks a value %s", async (_, rest) => {
    const tool = toolWith({ type: "object", properties: { a: { type: "string" } }, ...rest });
    expect(await validation.check(tool, { a: "x" })).toEqual([]);
    expect(await validation.check(tool, { a: 1 })).toEqual([{ path: "/a", message: 'is number, must be "string"' }]);
  });

  it("checks a large value in the worker even if its schema is plain", async () => {
    const tool = toolWith({ type: "object", properties: { list: { type: "array", items: { type: "number" } } } });
    const list = Array.from({ length: 20_000 }, (_, n) => (n === 19_999 ? "x" : n));
    const check = validation.check(tool, { list });
    expect((await check).map(({ path }) => path)).toEqual(["/list/19999"]);
  });

  it("runs a pattern that would backtrack for hours in linear time", async () => {
    const tool = toolWith({ type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } });
    const violations = await validation.check(tool, { a: `${"a".repeat(5000)}!` });
    expect(violations.map(({ path }) => path)).toEqual(["/a"]);
  });

  it("accepts patterns that RE2 cannot express", async () => {
    const tool = toolWith({ type: "object", properties: { a: { type: "string", pattern: "^(?=.*\\d).+$" } } });
    expect(await validation.check(tool, { a: "x1" })).toEqual([]);
    expect(await validation.check(tool, { a: "x" })).toHaveLength(1);
  });

  // Each level refers twice to the previous one: 2^30 evaluations.
  const levels = Array.from({ length: 30 }, (_, n) => [
    `l${n + 1}`,
    { allOf: [{ $ref: `#/$defs/l${n}` }, { $ref: `#/$defs/l${n}` }] },
  ]);
  const bomb = toolWith({ $ref: "#/$defs/l30", $defs: { l0: { type: "object" }, ...Object.fromEntries(levels) } });

  it("terminates a check that takes too long without blocking the gateway, and continues with the next", async () => {
    const impatient = createValidation(1000);
    const check = impatient.check(bomb, {});
    expect(await turnsDuring(check)).toBeGreaterThan(10);
    await expect(check).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: expect.stringContaining("took longer"),
    });
    expect(await impatient.check(toolWith({ type: "object", allOf: [{}] }), {})).toEqual([]);
    await impatient.close();
  });

  it("rejects a schema at once after three timeouts", async () => {
    const impatient = createValidation(100);
    for (let n = 0; n < 3; n++) await impatient.check(bomb, {}).catch(() => undefined);
    const turns = await turnsDuring(impatient.check(bomb, {}));
    expect(turns).toBe(0);
    await impatient.close();
  });

  it("accepts a reply that arrived in time although the main thread read it late", async () => {
    const punctual = createValidation(50);
    const tool = toolWith({ type: "object", allOf: [{}] });
    await punctual.check(tool, {}).catch(() => undefined);
    const check = punctual.check(tool, {});
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 200;
    while (performance.now() < until);
    expect(await check).toEqual([]);
    await punctual.close();
  });

  it.each<[string, JsonObject]>([
    ["a reference to another document", { $ref: "https://example.com/schema.json" }],
    ["a reference to a file", { $ref: "file:///etc/passwd" }],
    ["an endless reference", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["a pattern that does not compile", { type: "object", properties: { a: { pattern: "(" } } }],
  ])("rejects a call whose schema has %s", async (_, schema) => {
    await expect(validation.check(toolWith(schema), { a: "x" })).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
    });
  });

  it.each<[string, () => JsonObject]>([
    ["depth", () => Array.from({ length: 5000 }).reduce<JsonObject>((inner) => ({ not: inner }), {})],
    ["parts", () => ({ properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`p${n}`, true])) })],
    ["list length", () => ({ enum: Array.from({ length: 20_000 }, (_, n) => n) })],
    [
      "plain parts",
      () => ({
        properties: { a: { properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`p${n}`, {}])) } },
      }),
    ],
    ["size", () => ({ not: { description: "x".repeat(300_000) } })],
  ])("rejects a schema beyond the limit of %s", async (_, schema) => {
    await expect(validation.check(toolWith(schema()), {})).rejects.toMatchObject({ code: "TOOL_VALIDATION_ERROR" });
  });

  it("checks concurrent calls each against its own schema", async () => {
    const checks = Array.from({ length: 50 }, (_, n) => {
      const tool = toolWith({ type: "object", properties: { [`p${n}`]: { const: n } }, allOf: [{}] });
      return validation.check(tool, { [`p${n}`]: n % 2 === 0 ? n : -1 });
    });
    const counts = (await Promise.all(checks)).map((violations) => violations.length);
    expect(counts).toEqual(Array.from({ length: 50 }, (_, n) => n % 2));
  });
});
