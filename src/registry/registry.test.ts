import { describe, expect, it } from "vitest";
import type { Tool } from "../model/tool.js";
import { checkRegistry, describeFinding, type LiveCatalog } from "./check-registry.js";
import { toOperationExample } from "./example.js";
import { type Operation, type OperationRuling, toOperation } from "./operation.js";
import { toRegistry, toRegistryText } from "./registry.js";

const toTool = (
  more: Partial<Tool> = {},
  inputSchema: Tool["definition"]["inputSchema"] = { type: "object" },
): Tool => ({
  id: "pay:charge",
  server: "pay",
  name: "charge",
  definition: { name: "charge", description: "Charge a card.", inputSchema },
  hash: "h",
  enabled: true,
  tags: ["money"],
  ...more,
});
const RULING: OperationRuling = {
  risk: "high",
  isIdempotent: false,
  needsKey: true,
  needsConfirmation: false,
  scopes: ["payments:write"],
  bucket: "payments_high_risk",
};
const SCHEMA = {
  type: "object",
  properties: { amount: { type: "integer", minimum: 5 }, email: { type: "string", format: "email" }, note: {} },
  required: ["amount", "email"],
};

describe("toOperation", () => {
  it("describes a REST operation with every field of the registry format", () => {
    const operation = {
      method: "POST",
      path: "/charge",
      parameters: [],
      category: "charges",
      reversible: false,
      errors: { "402": "Insufficient funds." },
    };
    const facts = { category: "payments", capabilities: ["cards"], countries: ["NG"], currencies: ["NGN"] };
    expect(
      toOperation({ tool: toTool({ operation }, SCHEMA), ruling: { ...RULING, isIdempotent: true }, facts }),
    ).toEqual({
      adapter: "pay",
      tool: "charge",
      description: "Charge a card.",
      category: "charges",
      tags: ["money", "charges", "payments", "cards", "ng", "ngn"],
      method: "POST",
      path: "/charge",
      input_schema: SCHEMA,
      required_params: ["amount", "email"],
      optional_params: ["note"],
      risk_level: "high",
      idempotent: true,
      reversible: false,
      requires_confirmation: false,
      idempotency_required: true,
      confirmation_required: false,
      required_scopes: ["payments:write"],
      rate_limit_bucket: "payments_high_risk",
      example_request: { amount: 5, email: "name@example.com" },
      common_errors: ["402: Insufficient funds."],
    });
  });

  it("omits method, path and category of a tool without them", () => {
    const made = toOperation({ tool: toTool({ tags: [] }), ruling: { ...RULING, bucket: undefined } });
    expect(made).not.toHaveProperty("method");
    expect(made).not.toHaveProperty("category");
    expect(made).toMatchObject({ tags: [], rate_limit_bucket: null, reversible: false, common_errors: [] });
  });

  it.each([
    ["GET", "low", true],
    ["POST", "medium", false],
    ["DELETE", "destructive", false],
  ])("derives for %s at risk %s without a statement: reversible %s", (method, risk, undone) => {
    const operation = { method, path: "/x", parameters: [] };
    expect(toOperation({ tool: toTool({ operation }), ruling: { ...RULING, risk } }).reversible).toBe(undone);
  });

  it.each([true, false])("takes idempotency from the policy (%s), not from the document", (isIdempotent) => {
    const operation = { method: "GET", path: "/x", parameters: [], idempotent: !isIdempotent };
    const made = toOperation({ tool: toTool({ operation }), ruling: { ...RULING, isIdempotent } });
    expect(made.idempotent).toBe(isIdempotent);
  });
});

describe("toExample", () => {
  const example = (schema: Tool["definition"]["inputSchema"]) => toOperationExample(toTool({}, schema));
  const one = (schema: unknown, more = {}) => example({ properties: { a: schema }, required: ["a"], ...more })["a"];

  it("prefers the author's example and adds missing required arguments", () => {
    const operation = { method: "POST", path: "/x", parameters: [], example: { amount: 1 } };
    const email = "name@example.com";
    expect(toOperationExample(toTool({ operation }, SCHEMA))).toEqual({ amount: 1, email });
    expect(example({ ...SCHEMA, examples: [{ amount: 7, note: "n" }] })).toEqual({ amount: 7, note: "n", email });
  });

  it.each([
    ["a const", { const: 3 }, 3],
    ["an example", { type: "string", example: "x" }, "x"],
    ["examples", { examples: ["y"] }, "y"],
    ["a default", { type: "integer", default: 9 }, 9],
    ["an enum", { enum: ["p", "q"] }, "p"],
    ["a boolean", { type: "boolean" }, true],
    ["null", { type: "null" }, null],
    ["a nullable type", { type: ["null", "number"] }, 1],
    ["an exclusive bound", { type: "number", exclusiveMinimum: 2 }, 3],
    ["an upper bound", { type: "number", maximum: -4 }, -4],
    ["a list", { type: "array", items: { type: "string", format: "date" } }, ["2026-01-31"]],
    ["an object", { type: "object", properties: { b: { type: "string" } }, required: ["b"] }, { b: "text" }],
    ["parts", { allOf: [{ properties: { b: { const: 1 } }, required: ["b"] }] }, { b: 1 }],
    ["a choice", { oneOf: [{ type: "integer" }, { type: "string" }] }, 1],
    ["a length", { type: "string", minLength: 6, maxLength: 6 }, "textxx"],
    ["a plain pattern", { type: "string", pattern: "^AC[0-9a-fA-F]{32}$" }, `AC${"0".repeat(32)}`],
    ["another", { type: "string", pattern: "^\\d+\\.\\d{2}[a-z]?-x*\\w$" }, "1.11-a"],
    ["a pattern with alternatives", { type: "string", pattern: "^(a|b)+$" }, "text"],
    ["a pattern for a long text", { type: "string", pattern: "a{999}b{999}" }, "text"],
    ["nothing", {}, "text"],
  ])("generates a value for %s", (_, schema, value) => {
    expect(one(schema)).toEqual(value);
  });

  it("follows references and stops at cycles", () => {
    const $defs = { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] } };
    expect(JSON.stringify(one({ $ref: "#/$defs/node" }, { $defs })).length).toBeLessThan(200);
    expect(one({ $ref: "#/$defs/kind" }, { $defs: { kind: { enum: ["k"] } } })).toBe("k");
  });

  it("keeps the example of a wide recursive schema small and keeps every argument", () => {
    const names = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const again = { $ref: "#/$defs/node" };
    const node = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, again])),
      required: names,
    };
    const made = example({ properties: { a: again, b: { type: "string" } }, required: ["a", "b"], $defs: { node } });
    expect(made["b"]).toBe("text");
    expect(JSON.stringify(made).length).toBeLessThan(4_000);
  });

  it("omits a stated value that is too long for an example", () => {
    const long = "x".repeat(5_000);
    expect(one({ type: "string", default: long })).toBe("text");
    expect(example({ required: Array.from({ length: 300 }, (_, index) => `m${index}`) })).toEqual({});
  });

  it("never sets the prototype", () => {
    const made = example(
      JSON.parse('{"required":["__proto__"],"properties":{"__proto__":{"type":"object"}}}') as object as Record<
        string,
        unknown
      >,
    );
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });
});

const OPERATION = toOperation({ tool: toTool({}, SCHEMA), ruling: RULING });
const live = (known: Record<string, Operation> = { "pay:charge": OPERATION }): LiveCatalog => ({
  find: (id) => {
    if (id.startsWith("asleep:")) return { kind: "unknown" };
    const operation = known[id];
    return operation === undefined
      ? { kind: "absent", reason: "its adapter has no such tool" }
      : { kind: "operation", operation };
  },
});
const parsed = (more: object = {}): Record<string, unknown> => ({
  ...(JSON.parse(toRegistryText(toRegistry([["pay:charge", OPERATION]], 0))) as object),
  ...more,
});

describe("toRegistry", () => {
  it("writes the same bytes for the same catalog, in the order of the ids", () => {
    const [a, b]: [[string, Operation], [string, Operation]] = [
      ["b:x", OPERATION],
      ["a:x", OPERATION],
    ];
    const text = toRegistryText(toRegistry([a, b], Date.UTC(2026, 0, 29)));
    expect(text).toBe(toRegistryText(toRegistry([b, a], Date.UTC(2026, 0, 29))));
    const { operations, ...head } = JSON.parse(text) as { operations: object };
    expect(head).toEqual({
      schema_version: "1.0.0",
      last_verified_at: "2026-01-29T00:00:00.000Z",
      operation_count: 2,
    });
    expect(Object.keys(operations)).toEqual(["a:x", "b:x"]);
    expect(text.endsWith("}\n")).toBe(true);
  });
});

describe("checkRegistry", () => {
  it("reports nothing for a registry that was just exported", () => {
    expect(checkRegistry(parsed(), live())).toEqual([]);
  });

  it.each<[string, Record<string, unknown> | string, string[]]>([
    ["is not an object", "text", ["it is not a registry: it has no object `operations`."]],
    ["has another count", parsed({ operation_count: 2 }), ["operation_count is not 1, the number of its operations."]],
    ["has another schema", parsed({ schema_version: "2.0.0" }), ["schema_version is not 1.0.0."]],
    ["has no valid time", parsed({ last_verified_at: "soon" }), ["last_verified_at is not a valid time."]],
  ])("reports a registry that %s", (_, document, lines) => {
    expect(checkRegistry(document, live()).map(describeFinding)).toEqual(lines);
  });

  it.each<[string, unknown, string]>([
    ["is not an object", 3, "pay:charge: it is not an object."],
    [
      "lacks fields",
      { ...OPERATION, tags: undefined, tool: "" },
      "pay:charge: missing or of the wrong type: tool, tags.",
    ],
    [
      "has no risk",
      { ...OPERATION, risk_level: "mild" },
      "pay:charge: risk_level is not one of low, medium, high, destructive.",
    ],
    [
      "states another risk",
      { ...OPERATION, risk_level: "low" },
      "pay:charge: differs from the live catalog: risk_level.",
    ],
    [
      "has other parameters",
      { ...OPERATION, required_params: ["x"] },
      "pay:charge: differs from the live catalog: required_params.",
    ],
  ])("names the operation that %s", (_, entry, text) => {
    expect(checkRegistry(parsed({ operations: { "pay:charge": entry } }), live()).map(describeFinding)).toEqual([text]);
  });

  it.each<[keyof Operation, unknown]>([
    ["idempotent", true],
    ["idempotency_required", false],
    ["confirmation_required", true],
    ["required_scopes", []],
    ["rate_limit_bucket", null],
    ["optional_params", []],
    ["input_schema", { ...SCHEMA, required: ["email"] }],
  ])("reports a different %s", (name, value) => {
    const operations = { "pay:charge": { ...OPERATION, [name]: value } };
    expect(checkRegistry(parsed({ operations }), live()).map(describeFinding)).toEqual([
      `pay:charge: differs from the live catalog: ${name}.`,
    ]);
  });

  it("ignores the order of schema keys", () => {
    const reversed = Object.fromEntries(Object.entries(SCHEMA).toReversed());
    const operations = { "pay:charge": { ...OPERATION, input_schema: reversed } };
    expect(checkRegistry(parsed({ operations }), live())).toEqual([]);
  });

  it("reports operations that the catalog does not have, and skips those of adapters that are not known yet", () => {
    const operations = { "pay:charge": OPERATION, "pay:gone": OPERATION, "asleep:any": OPERATION };
    const document = parsed({ operations, operation_count: 3 });
    expect(checkRegistry(document, live())).toEqual([
      { tool_id: "pay:gone", check: "exists", reason: "its adapter has no such tool" },
    ]);
  });

  it("stops after a hundred findings", () => {
    const operations = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`pay:gone-${n}`, OPERATION]));
    expect(checkRegistry(parsed({ operations, operation_count: 500 }), live())).toHaveLength(100);
  });
});
