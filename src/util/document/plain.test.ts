import { describe, expect, it } from "vitest";
import { parsePlain } from "./plain.js";

class Instance {
  readonly member = 1;
}

const cycle: Record<string, unknown> = {};
cycle["again"] = cycle;

describe("parsePlain", () => {
  it("copies data and omits undefined members", () => {
    const original = { a: [1, "x", null, { b: true }], gone: undefined };
    const parsed = parsePlain(original);
    const value: unknown = parsed.kind === "document" ? parsed.document.value : undefined;
    expect(value).toStrictEqual({ a: [1, "x", null, { b: true }] });
    expect(value).not.toBe(original);
  });

  it.each([
    ["a function", { run: () => 1 }, ["run"], /plain data, not a function/],
    ["a big integer", { n: 1n }, ["n"], /plain data, not a bigint/],
    ["a symbol", { s: Symbol("x") }, ["s"], /plain data, not a symbol/],
    ["an instance", { list: [new Instance()] }, ["list", 0], /instance of a class/],
    ["a date", { when: new Date(0) }, ["when"], /instance of a class/],
    ["a cycle", cycle, ["again", "again", "again"], /nested more than 64 levels/],
    ["__proto__", JSON.parse('{"a":{"__proto__":{"x":1}}}') as object, ["a", "__proto__"], /not allowed as a key/],
    ["constructor", { constructor: 1 }, ["constructor"], /not allowed as a key/],
    ["too many values", { list: Array.from({ length: 100_001 }, () => 1) }, [], /more than 100000 values/],
  ])("rejects %s", (_, value, path, reason) => {
    const parsed = parsePlain(value);
    expect(parsed.kind === "faults" && parsed.faults).toEqual([expect.objectContaining({ path })]);
    expect(parsed.kind === "faults" && parsed.faults[0]!.reason).toMatch(reason);
  });
});
