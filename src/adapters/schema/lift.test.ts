import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import { createReferences } from "../references.js";
import { createLifting } from "./lift.js";
import { collectDefinitions, toDefs } from "./self-contained.js";

function lift(raw: unknown, schemas: JsonObject = {}): JsonObject {
  const lifting = createLifting(createReferences({ components: { schemas } }));
  const { schema, needs } = lifting.lift(raw);
  const { levels } = collectDefinitions(needs, lifting);
  const $defs = toDefs(levels, levels.length);
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** Too large to be written inline. */
const large = (more: JsonObject = {}): JsonObject => ({
  type: "string",
  description: "long ".repeat(290).trim(),
  ...more,
});

describe("a schema of an earlier version", () => {
  it.each<[string, unknown, unknown]>([
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["x-nullable", { type: "integer", "x-nullable": true }, { type: ["integer", "null"] }],
    [
      "nullable with choices",
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a"] },
    ],
    [
      "nullable parts",
      { nullable: true, allOf: [{ type: "string" }] },
      { anyOf: [{ allOf: [{ type: "string" }] }, { type: "null" }] },
    ],
    ["an exclusive bound of 3.0", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ["an inclusive bound of 3.0", { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ["an exclusive bound of 3.1", { exclusiveMaximum: 5 }, { exclusiveMaximum: 5 }],
    ["a tuple", { items: [{ type: "string" }, {}] }, { prefixItems: [{ type: "string" }, {}] }],
    [
      "irrelevant keywords",
      { type: "object", discriminator: { propertyName: "a" }, xml: {}, example: 1, externalDocs: {}, "x-a": 1 },
      { type: "object" },
    ],
    ["an unknown type", { type: "any" }, {}],
    ["a list of types", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["a boolean", true, {}],
    ["null", null, {}],
    ["required as a boolean", { type: "string", required: true }, { type: "string" }],
    ["numbers that strict JSON rejects", { maximum: 2 ** 63, default: 1e19, multipleOf: 0 }, {}],
    ["a pattern that does not compile", { pattern: "[" }, {}],
    ["a hostile pattern", { pattern: "(a+)+$" }, { pattern: "(a+)+$" }],
    [
      "a title in place of a description",
      { properties: { a: { title: "A thing" } } },
      { properties: { a: { description: "A thing" } } },
    ],
  ])("%s", (_, raw, lifted) => {
    expect(lift(raw)).toEqual(lifted);
  });

  it("removes read-only members at any level", () => {
    const schemas = { Id: { type: "string", readOnly: true } };
    const raw = {
      type: "object",
      required: ["id", "own", "a"],
      properties: { id: ref("Id"), own: { readOnly: true }, a: {} },
    };
    expect(lift(raw, schemas)).toEqual({ type: "object", required: ["a"], properties: { a: {} } });
  });

  it("removes members that cannot be argument names", () => {
    const raw = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{},"ok":{}},"required":["__proto__","ok"]}',
    );
    expect(lift(raw)).toEqual({ properties: { ok: {} }, required: ["ok"] });
  });

  it("distinguishes a member called $ref from a reference", () => {
    expect(lift({ properties: { $ref: { type: "string" } } })).toEqual({ properties: { $ref: { type: "string" } } });
  });
});

describe("references", () => {
  it("to small schemas are written inline, with the keywords next to them", () => {
    const raw = { properties: { a: { ...ref("Small"), description: "Here." } } };
    expect(lift(raw, { Small: { type: "string", description: "There." } })).toEqual({
      properties: { a: { type: "string", description: "Here." } },
    });
  });

  it("to other schemas become definitions of the schema itself", () => {
    const lifted = lift({ properties: { a: ref("Large"), b: ref("Large") } }, { Large: large({ nullable: true }) });
    expect(lifted["properties"]).toEqual({ a: { $ref: "#/$defs/Large" }, b: { $ref: "#/$defs/Large" } });
    expect(lifted["$defs"]).toMatchObject({ Large: { type: ["string", "null"] } });
  });

  it("in circles end in definitions", () => {
    const schemas = {
      Tree: { type: "object", properties: { children: { type: "array", items: ref("Tree") } } },
      A: { properties: { b: ref("B") } },
      B: { properties: { a: ref("A") } },
    };
    expect(lift(ref("Tree"), schemas)).toEqual({
      $ref: "#/$defs/Tree",
      $defs: { Tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } } },
    });
    expect(lift({ items: ref("A") }, schemas)["$defs"]).toEqual({
      A: { properties: { b: { $ref: "#/$defs/B" } } },
      B: { properties: { a: { $ref: "#/$defs/A" } } },
    });
  });

  it("with escaped steps and to any part of the document are followed, each with its own name", () => {
    const lifting = createLifting(
      createReferences({
        paths: { "/a/{b}": { x: large() } },
        components: { schemas: { "a/b~c": large(), User: large() } },
        definitions: {},
      }),
    );
    const pointers = ["#/paths/~1a~1%7Bb%7D/x", "#/components/schemas/a~1b~0c", "#/components/schemas/User"];
    const names = pointers.map((pointer) => lifting.definition(pointer).name);
    expect(names[2]).toBe("User");
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[\w.-]+$/);
  });

  it("give the same schema, independent of what was lifted before", () => {
    const schemas = {
      A: { properties: { b: ref("B"), s: ref("S") } },
      B: { properties: { a: ref("A") } },
      S: { type: "string" },
    };
    const alone = createLifting(createReferences({ components: { schemas } }));
    const after = createLifting(createReferences({ components: { schemas } }));
    after.definition("#/components/schemas/B");
    after.lift(ref("S"));
    expect(after.definition("#/components/schemas/A").schema).toEqual(
      alone.definition("#/components/schemas/A").schema,
    );
  });
});

describe("limits", () => {
  it("cuts a schema that is nested a hundred thousand levels deep", () => {
    let raw: JsonObject = { type: "string" };
    for (let level = 0; level < 100_000; level += 1) raw = { items: raw };
    expect(JSON.stringify(lift(raw)).length).toBeLessThan(1_000);
  });

  it("does not exhaust the stack with a chain of twenty thousand references", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`S${index}`, { properties: { next: ref(`S${index + 1}`) } }]),
    );
    const lifted = lift(ref("S0"), { ...schemas, S20000: { type: "string" } });
    expect(Object.keys(lifted["$defs"] as JsonObject).length).toBeLessThanOrEqual(2_001);
  });

  it("keeps a schema that expands exponentially as definitions", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 24 }, (_, index) => [`S${index}`, { allOf: [ref(`S${index + 1}`), ref(`S${index + 1}`)] }]),
    );
    expect(JSON.stringify(lift(ref("S0"), { ...schemas, S24: large() })).length).toBeLessThan(10_000);
  });
});
