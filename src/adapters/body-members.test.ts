import { expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { bodyMembers } from "./body-members.js";
import { createReferences } from "./references.js";

/** Ten schemas, each of which refers to the next one this many times. */
function membersOf(times: number, own: (level: number) => JsonObject) {
  const schemas = Array.from({ length: 10 }, (_, level): [string, JsonObject] => {
    const allOf = Array.from({ length: times }, () => ({ $ref: `#/schemas/S${level + 1}` }));
    return [`S${level}`, level === 9 ? own(level) : { ...own(level), allOf }];
  });
  return bodyMembers({ $ref: "#/schemas/S0" }, createReferences({ schemas: Object.fromEntries(schemas) }));
}

it("reads a schema that many parts refer to once", () => {
  const found = membersOf(12, (level) => ({
    properties: { a: { type: "string", title: `${level}` }, [`m${level}`]: {} },
    required: ["a"],
    anyOf: [{ required: [`m${level}`] }],
  }));
  expect(found?.properties.size).toBe(11);
  expect(found?.properties.get("a")).toMatchObject({ allOf: { length: 10 } });
  expect([...(found?.required ?? [])]).toEqual(["a"]);
  expect(found?.alternatives).toHaveLength(10);
});

it("returns undefined for a body with too many parts", () => {
  expect(membersOf(600, () => ({ properties: { a: {} } }))).toBeUndefined();
});

it("returns undefined for a body that contains itself", () => {
  const references = createReferences({ s: { properties: { a: {} }, allOf: [{ $ref: "#/s" }, { $ref: "#/s" }] } });
  expect(bodyMembers({ $ref: "#/s" }, references)).toBeUndefined();
});
