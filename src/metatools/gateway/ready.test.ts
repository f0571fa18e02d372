import { describe, expect, it } from "vitest";
import { toPolicy, toTool } from "../../../test/support/executor.js";
import type { JsonObject } from "../../model/json.js";
import { createOperations } from "./operations.js";
import { toMissingInputs, toReady } from "./ready.js";

async function ready(inputSchema: JsonObject, policy: object = {}) {
  const compiled = await toPolicy(policy);
  const tool = toTool({}, { inputSchema });
  const operation = createOperations(compiled).of(tool, undefined);
  return { ready: toReady(tool, operation, { policy: compiled }), missing: toMissingInputs(tool, operation) };
}

describe("toReady", () => {
  it("includes the schema if parameters cannot express its constraints", async () => {
    const conditional = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect((await ready(conditional)).ready).toMatchObject({ input_schema: conditional, required_params: [] });
  });

  it("defines types that occur more than once, and the type of additional parameters", async () => {
    const address = {
      type: "object",
      properties: { street: { type: "string", description: "Street and number" }, town: { type: "string" } },
      required: ["street", "town"],
    };
    const schema = {
      type: "object",
      properties: { from: { $ref: "#/$defs/address" }, to: { $ref: "#/$defs/address" } },
      $defs: { address },
      additionalProperties: { type: "string" },
    };
    const answer = (await ready(schema)).ready;
    expect(answer).toMatchObject({ types: { address: expect.stringContaining("street: string") } });
    expect(answer).toHaveProperty("additional_params", "string");
  });

  it("describes all required parameters, and optional ones up to a size limit", async () => {
    const large = { type: "string", description: "d".repeat(200), enum: Array.from({ length: 80 }, (_, n) => `v${n}`) };
    const optional = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`optional_${n}`, { type: "string" }]));
    const schema = { type: "object", properties: { big: large, needed: large, ...optional }, required: ["needed"] };
    const { ready: answer } = await ready(schema);
    const described = Object.keys(answer["param_schemas"] as object);
    expect(JSON.stringify(answer["param_schemas"]).length).toBeLessThan(6_000);
    expect(described).toContain("needed");
    expect(described).toContain("optional_0");
    expect(described).not.toContain("big");
    expect(answer).toMatchObject({
      omitted: [`${302 - described.length} optional parameters`],
      full_schema: "anygpt://tools/github/create_issue",
    });
  });

  it("lists required scopes", async () => {
    const policy = { scopes: [{ tools: "*", required_scopes: ["issues:write"] }] };
    expect((await ready({ type: "object" }, policy)).ready).toMatchObject({
      constraints: { risk_level: "medium", required_scopes: ["issues:write"] },
    });
  });
});

describe("toReady with a constraint that does not exist", () => {
  it("omits it, and all constraints if the risk is low", async () => {
    const policy = { risk: [{ tools: "*", risk: "low" }] };
    expect((await ready({ type: "object" }, policy)).ready).toEqual({ required_params: [], param_schemas: {} });
  });
});

describe("toMissingInputs", () => {
  it.each([
    [{ type: "string" }, ["x"]],
    [{ enum: ["a", "b"] }, ["x"]],
    [undefined, ["x"]],
    [{ const: "a" }, []],
    [{ enum: ["a"] }, []],
    [{ type: "string", default: "a" }, []],
  ])("names a required parameter unless its schema %j has only one value or a default", async (schema, missing) => {
    const properties = schema === undefined ? {} : { x: schema };
    expect((await ready({ type: "object", properties, required: ["x"] })).missing).toEqual(missing);
  });
});
