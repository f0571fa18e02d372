import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { canonicalJson, sha256 } from "../util/canonical-json.js";
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

/** The longest time that the event loop was held up while the promise ran. */
async function lagDuring(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work.catch(() => undefined);
  longest = Math.max(longest, performance.now() - last);
  clearInterval(timer);
  return longest;
}

describe("validation", () => {
  it.each([
    ["right here when its schema is plain", {}],
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
    expect(await lagDuring(check)).toBeLessThan(150);
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

  it("ends a check that takes too long, without holding up the gateway, and goes on with the next", async () => {
    const impatient = createValidation(200);
    // Each level refers twice to the one before: 2^30 evaluations.
    const levels = Array.from({ length: 30 }, (_, n) => [
      `l${n + 1}`,
      { allOf: [{ $ref: `#/$defs/l${n}` }, { $ref: `#/$defs/l${n}` }] },
    ]);
    const bomb = toolWith({ $ref: "#/$defs/l30", $defs: { l0: { type: "object" }, ...Object.fromEntries(levels) } });
    const check = impatient.check(bomb, {});
    const lag = await lagDuring(check);
    await expect(check).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: expect.stringContaining("took longer"),
    });
    expect(lag).toBeLessThan(150);
    // It had its chance: the next one does not wait for it again.
    const from = performance.now();
    await expect(impatient.check(bomb, {})).rejects.toMatchObject({ message: expect.stringContaining("took longer") });
    expect(performance.now() - from).toBeLessThan(100);
    expect(await impatient.check(toolWith({ type: "object", allOf: [{}] }), {})).toEqual([]);
    await impatient.close();
  });

  it.each<[string, JsonObject]>([
    ["a reference to another document", { $ref: "https://example.com/schema.json" }],
    ["a reference to a file", { $ref: "file:///etc/passwd" }],
    ["an endless reference", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["a pattern that does not compile", { type: "object", properties: { a: { pattern: "(" } } }],
  ])("refuses a call whose schema has %s", async (_, schema) => {
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
  ])("refuses a schema beyond the limit of %s", async (_, schema) => {
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
