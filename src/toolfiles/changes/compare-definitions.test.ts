import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { ToolDefinition } from "../../model/tool.js";
import { compareDefinitions } from "./compare-definitions.js";

const input = (properties: JsonObject, more: JsonObject = {}): ToolDefinition => ({
  name: "x",
  inputSchema: { type: "object", properties, ...more },
});
const one = (schema: unknown, more: JsonObject = {}): ToolDefinition => input({ a: schema }, more);
const output = (outputSchema: JsonObject | undefined): ToolDefinition => ({
  name: "x",
  inputSchema: {},
  ...(outputSchema === undefined ? {} : { outputSchema }),
});
const annotated = (annotations: JsonObject | undefined): ToolDefinition => ({
  name: "x",
  inputSchema: {},
  ...(annotations === undefined ? {} : { annotations }),
});
const fields = (properties: JsonObject, required: string[] = []) => output({ type: "object", properties, required });
const defs = (node: JsonObject, a: JsonObject = { $ref: "#/$defs/node" }) => one(a, { $defs: { node } });
const text = { type: "string" };
const whole = { type: "integer" };

type Case = readonly [string, ToolDefinition, ToolDefinition, string, string | RegExp];

const texts: Case[] = [
  [
    "a description",
    { ...one(text), description: "Finds a thing." },
    { ...one(text), description: "Finds the thing." },
    "patch",
    'description: "Finds a thing." → "Finds the thing."',
  ],
  ["a new title", one(text), { ...one(text), title: "T" }, "patch", 'title: none → "T"'],
  ["a removed description", { ...one(text), description: "D" }, one(text), "patch", 'description: "D" → none'],
  [
    "a parameter's description",
    one(text),
    one({ ...text, description: "D" }),
    "patch",
    'parameter a: description: none → "D"',
  ],
  [
    "a parameter's examples",
    one(text),
    one({ ...text, examples: ["x"] }),
    "patch",
    'parameter a: examples: none → ["x"]',
  ],
  [
    "texts next to references",
    defs({ not: { $ref: "#" } }),
    defs({ not: { $ref: "#" }, title: "T" }),
    "patch",
    /title/,
  ],
  ["an unused definition", one(text), one(text, { $defs: { x: {} } }), "patch", "input schema: written differently"],
  [
    "the order of required parameters",
    input({ a: text, b: text }, { required: ["a", "b"] }),
    input({ a: text, b: text }, { required: ["b", "a"] }),
    "patch",
    "input schema: written differently",
  ],
];

const harmless: Case[] = [
  [
    "a new optional parameter",
    one(text),
    input({ a: text, limit: whole }),
    "minor",
    "+ parameter limit (integer, optional)",
  ],
  [
    "a parameter that became optional",
    one(text, { required: ["a"] }),
    one(text),
    "minor",
    "parameter a: required → optional",
  ],
  ["more values", one({ enum: ["a"] }), one({ enum: ["a", "b"] }), "minor", 'parameter a: enum + "b"'],
  ["several values instead of one", one({ const: "a" }), one({ enum: ["a", "b"] }), "minor", 'parameter a: enum + "b"'],
  ["any value", one({ type: "string", enum: ["a"] }), one(text), "minor", /enum/],
  [
    "a higher maximum",
    one({ ...whole, maximum: 1 }),
    one({ ...whole, maximum: 2 }),
    "minor",
    "parameter a: maximum 1 → 2",
  ],
  [
    "a lower minimum",
    one({ ...whole, minimum: 1 }),
    one({ ...whole, minimum: 0 }),
    "minor",
    "parameter a: minimum 1 → 0",
  ],
  ["no maximum", one({ ...text, maxLength: 1 }), one(text), "minor", "parameter a: maxLength 1 → none"],
  ["no pattern", one({ ...text, pattern: "a" }), one(text), "minor", 'parameter a: pattern "a" → none'],
  ["a coarser step", one({ ...whole, multipleOf: 4 }), one({ ...whole, multipleOf: 2 }), "minor", /multipleOf/],
  ["duplicates in a list", one({ uniqueItems: true }), one({ uniqueItems: false }), "minor", /uniqueItems/],
  [
    "numbers instead of integers",
    one(whole),
    one({ type: "number" }),
    "minor",
    'parameter a: type "integer" → "number"',
  ],
  ["one more type", one(text), one({ type: ["string", "null"] }), "minor", /type/],
  [
    "one more alternative",
    one({ anyOf: [text] }),
    one({ anyOf: [whole, text] }),
    "minor",
    /anyOf \+ {"type":"integer"}/,
  ],
  ["unknown parameters", one(text, { additionalProperties: false }), one(text), "minor", /additionalProperties/],
  ["wider items", one({ items: { enum: [1] } }), one({ items: { enum: [1, 2] } }), "minor", "parameter a[]: enum + 2"],
  ["a new default", one(text), one({ ...text, default: "x" }), "minor", 'parameter a: default none → "x"'],
  ["a wider definition", defs({ enum: [1] }), defs({ enum: [1, 2] }), "minor", "parameter a: enum + 2"],
  [
    "a wider nested schema",
    one({ properties: { b: { maxLength: 1 } } }),
    one({ properties: { b: {} } }),
    "minor",
    "parameter a.b: maxLength 1 → none",
  ],
  [
    "a definition instead of a reference",
    defs({ enum: [1] }),
    defs({ enum: [1] }, { enum: [1, 2] }),
    "minor",
    /enum \+ 2/,
  ],
  ["a new output schema", output(undefined), output({}), "minor", "+ output schema"],
  ["a new output field", fields({}), fields({ id: text }), "minor", "+ output field id (string, optional)"],
  [
    "an output field that became required",
    fields({ id: text }),
    fields({ id: text }, ["id"]),
    "minor",
    "output field id: optional → required",
  ],
  [
    "fewer values of an output field",
    fields({ a: { enum: [1, 2] } }),
    fields({ a: { enum: [1] } }),
    "minor",
    /enum - 2/,
  ],
];

const breaking: Case[] = [
  [
    "a new required parameter",
    one(text),
    input({ a: text, b: {} }, { required: ["b"] }),
    "major",
    "+ parameter b (any, required)",
  ],
  ["a removed parameter", input({ a: text, b: text }), one(text), "major", "- parameter b"],
  [
    "a parameter that became required",
    one(text),
    one(text, { required: ["a"] }),
    "major",
    "parameter a: optional → required",
  ],
  ["another type", one(text), one(whole), "major", 'parameter a: type "string" → "integer"'],
  ["integers instead of numbers", one({ type: "number" }), one(whole), "major", /type/],
  ["fewer values", one({ enum: ["a", "b"] }), one({ enum: ["b"] }), "major", 'parameter a: enum - "a"'],
  ["other values", one({ enum: ["a"] }), one({ enum: ["b"] }), "major", 'parameter a: enum + "b"; - "a"'],
  ["a lower maximum", one({ maximum: 2 }), one({ maximum: 1 }), "major", /maximum 2 → 1/],
  ["a new minimum", one({}), one({ minLength: 1 }), "major", /minLength none → 1/],
  ["a new pattern", one(text), one({ ...text, pattern: "a" }), "major", /pattern/],
  ["another pattern", one({ pattern: "a" }), one({ pattern: "b" }), "major", /pattern/],
  ["another format", one({ format: "date" }), one({ format: "time" }), "major", /format/],
  ["another default", one({ default: 1 }), one({ default: 2 }), "major", "parameter a: default 1 → 2"],
  ["no unknown parameters", one(text), one(text, { additionalProperties: false }), "major", /additionalProperties/],
  ["one alternative less", one({ anyOf: [text, whole] }), one({ anyOf: [text] }), "major", /anyOf - /],
  ["one more alternative of oneOf", one({ oneOf: [text] }), one({ oneOf: [text, whole] }), "major", /oneOf \+ /],
  [
    "a wider alternative of oneOf",
    one({ oneOf: [{ enum: [1] }] }),
    one({ oneOf: [{ enum: [1, 2] }] }),
    "major",
    /enum \+ 2/,
  ],
  ["a narrower definition", defs({ enum: [1, 2] }), defs({ enum: [1] }), "major", /enum - 2/],
  [
    "a definition behind a negation",
    defs({ enum: [1] }, { not: { $ref: "#/$defs/node" } }),
    defs({ enum: [1, 2] }, { not: { $ref: "#/$defs/node" } }),
    "major",
    /not/,
  ],
  [
    "a definition behind an anchor",
    defs({ $anchor: "n", enum: [1] }, { $ref: "#n" }),
    defs({ $anchor: "n", enum: [1, 2] }, { $ref: "#n" }),
    "major",
    /\$ref/,
  ],
  [
    "a definition behind a dynamic reference",
    defs({ enum: [1] }, { $dynamicRef: "#n" }),
    defs({ enum: [1, 2] }, { $dynamicRef: "#n" }),
    "major",
    /dynamicRef/,
  ],
  ["an unknown keyword", one(text), one({ ...text, "x-rule": 1 }), "major", /x-rule none → 1/],
  ["a malformed schema", one({ properties: 1 }), one({ properties: 2 }), "major", /properties/],
  ["a malformed required", one({ required: true }), one({ required: false }), "major", /required/],
  ["a pattern of names", one({ patternProperties: {} }), one({ patternProperties: { a: text } }), "major", /\{a\}/],
  ["another dialect", one(text), one(text, { $schema: "x" }), "major", /\$schema/],
  ["a removed output schema", output({}), output(undefined), "major", "- output schema"],
  ["a removed output field", fields({ id: text }), fields({}), "major", "- output field id"],
  [
    "an output field that became optional",
    fields({ id: text }, ["id"]),
    fields({ id: text }),
    "major",
    "output field id: required → optional",
  ],
  [
    "more values of an output field",
    fields({ a: { enum: [1] } }),
    fields({ a: { enum: [1, 2] } }),
    "major",
    /enum \+ 2/,
  ],
  ["another name", one(text), { ...one(text), name: "y" }, "major", "name: x → y"],
];

const annotations: Case[] = [
  [
    "a removed readOnlyHint",
    annotated({ readOnlyHint: true }),
    annotated({}),
    "major",
    "annotation readOnlyHint: true → none",
  ],
  [
    "destruction",
    annotated({}),
    annotated({ destructiveHint: true }),
    "major",
    "annotation destructiveHint: none → true",
  ],
  ["a removed destructiveHint", annotated({ destructiveHint: false }), annotated({}), "major", /destructiveHint/],
  [
    "a removed idempotentHint",
    annotated({ idempotentHint: true }),
    annotated({ idempotentHint: false }),
    "major",
    /idempotentHint/,
  ],
  ["a new readOnlyHint", annotated(undefined), annotated({ readOnlyHint: true }), "patch", /readOnlyHint/],
  [
    "a tool that is no longer destructive",
    annotated({ destructiveHint: true }),
    annotated({ destructiveHint: false }),
    "patch",
    /destructiveHint/,
  ],
  [
    "a changed title annotation",
    annotated({ title: "a" }),
    annotated({ title: "b" }),
    "patch",
    'annotation title: "a" → "b"',
  ],
  ["empty annotations", annotated(undefined), annotated({}), "patch", "annotations: none → {}"],
];

describe("compareDefinitions", () => {
  it.each([...texts, ...harmless, ...breaking, ...annotations])("classifies %s", (_, before, after, kind, line) => {
    const change = compareDefinitions(before, after);
    expect(change.kind).toBe(kind);
    const matches = change.differences.filter((one) => (typeof line === "string" ? one === line : line.test(one)));
    expect({ lines: change.differences, found: matches.length > 0 }).toEqual({
      lines: change.differences,
      found: true,
    });
  });

  it("shows of a long text only the part that differs", () => {
    const long = (middle: string) => ({
      ...one(text),
      description: `${"word ".repeat(200)}${middle}${" word".repeat(200)}`,
    });
    const [line = ""] = compareDefinitions(long("old"), long("new")).differences;
    expect(line).toMatch(/^description: …".*old.*"… → …".*new.*"…$/);
    expect(line.length).toBeLessThan(160);
  });

  it("removes control characters, and stays short", () => {
    const hostile = `\u001b[2J\u202e${"x".repeat(10_000)}`;
    const after = { ...input({ [hostile]: { enum: [hostile], description: hostile } }), description: hostile };
    for (const line of compareDefinitions(input({}), after).differences) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(line.length).toBeLessThan(300);
    }
  });

  it("limits the number of differences", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, text]));
    const { differences } = compareDefinitions(input({}), input(many));
    expect(differences).toHaveLength(41);
    expect(differences.at(-1)).toBe("and 60 more");
  });

  it("terminates for recursive definitions", () => {
    const list = (extra: JsonObject) => defs({ properties: { next: { $ref: "#/$defs/node" }, ...extra } });
    expect(compareDefinitions(list({}), list({ b: text })).kind).toBe("minor");
    const loop = one({ $ref: "#/properties/a" });
    expect(compareDefinitions(loop, one(text)).kind).toBe("major");
  });
});
