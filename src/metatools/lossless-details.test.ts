import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { arbitraryInput, arbitrarySchema, arbitraryValue } from "../../test/support/arbitrary-schema.js";
import { compareDetails, constraintsOf } from "../../test/support/lost-constraints.js";
import { parseType, parseTypes } from "../../test/support/parse-type.js";
import { openUpstreams } from "../../test/support/upstreams.js";
import type { JsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";
import { createTypeWriter } from "../util/type-expression.js";
import { describeTool } from "./describe-tool.js";

const NOTHING = { lost: [], invented: [] };

function compare(definition: ToolDefinition) {
  const { name } = definition;
  const details = describeTool({ id: `s:${name}`, server: "s", name, definition, hash: "", enabled: true, tags: [] });
  return compareDetails(details, definition.inputSchema);
}

describe("compareDetails", () => {
  const inputSchema = {
    type: "object",
    properties: { a: { type: "string", minLength: 2 }, b: { enum: ["x", "y"] } },
    required: ["a"],
  };
  const details = (a: string, b: string) => ({
    server: "s",
    tool: "t",
    description: "",
    parameters: [
      { name: "a", type: a, required: true },
      { name: "b", type: b, required: false },
    ],
  });

  it.each([
    ["no difference if all constraints are stated", details("string 2.. chars", "'x'|'y'"), NOTHING],
    ["a missing bound", details("string", "'x'|'y'"), { lost: [".a minLength 2"], invented: [] }],
    ["a missing value", details("string 2.. chars", "'x'"), { lost: ['.b value "y"'], invented: [] }],
    [
      "a different bound",
      details("string 3.. chars", "'x'|'y'"),
      { lost: [".a minLength 2"], invented: [".a minLength 3"] },
    ],
  ])("finds %s", (_, described, expected) => {
    expect(compareDetails(described, inputSchema)).toEqual(expected);
  });

  it("rejects a text that is not a type expression", () => {
    expect(() => parseType("string …")).toThrow(/Expected/u);
  });

  it("reports unknown keywords as constraints", () => {
    expect([...constraintsOf({ newKeyword: 1 })]).toEqual([" other:newKeyword 1"]);
  });
});

describe("details", () => {
  it("state every constraint of every schema, and no others", () => {
    fc.assert(
      fc.property(arbitraryInput, (inputSchema) => {
        expect(compare({ name: "t", inputSchema })).toEqual(NOTHING);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("accept no value that the schema rejects", () => {
    const root = { $defs: { one: { type: "string" }, two: { type: "object", properties: { a: {} } }, three: true } };
    const valuesMisjudged = (schema: unknown, values: readonly unknown[]): unknown[] => {
      const writer = createTypeWriter(root, { noteLength: 80 });
      const { text, isWhole } = writer.write(schema);
      // The validator supports neither OpenAPI keywords nor drafts before 2019-09.
      if (!isWhole || /"nullable"|"exclusiveM(?:in|ax)imum":(?:true|false)/u.test(JSON.stringify(schema))) return [];
      const described = new Validator(parseTypes(text, writer.types()), "2020-12");
      const original = new Validator(withDefinitions(schema, root), "2020-12");
      return values.filter((value) => described.validate(value).valid && !original.validate(value).valid);
    };
    const values = fc.array(arbitraryValue, { minLength: 10, maxLength: 10 });
    const property = fc.property(arbitrarySchema, values, (schema, some) => {
      expect(valuesMisjudged(schema, some)).toEqual([]);
    });
    expect(fc.check(property, { numRuns: 500, seed: 3 })).toMatchObject({ failed: false });
  });
});

function withDefinitions(schema: unknown, root: JsonObject): JsonObject {
  return { allOf: [schema], ...root };
}

describe("details of the tools of real servers", () => {
  const upstreams = openUpstreams();
  afterAll(() => upstreams.close());

  it.each(["everything", "filesystem", "memory", "sequential-thinking"])(
    "state every constraint of %s",
    async (name) => {
      const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
      const args = [join(dirname(manifest), "dist", "index.js"), ...(name === "filesystem" ? [tmpdir()] : [])];
      const connection = { kind: "stdio", command: process.execPath, args, env: {} } as const;
      const { tools } = await upstreams.list({ name, connection: () => connection, eraHint: "legacy" });
      expect(tools.length).toBeGreaterThan(0);
      expect(tools.map((tool) => ({ tool: tool.name, ...compare(tool) }))).toEqual(
        tools.map((tool) => ({ tool: tool.name, ...NOTHING })),
      );
    },
  );
});
