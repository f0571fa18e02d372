import { readFileSync } from "node:fs";
import { join } from "node:path";
import { upgrade } from "@scalar/openapi-upgrader";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { convertDocument } from "../../src/adapters/convert-document.js";
import type { ToolDefinition } from "../../src/model/tool.js";

const data = process.env["ANYGPT_DATA"];
const MESSAGE = "ANYGPT_DATA does not name a folder with real documents";

/** The tools by name, without examples, because an upgrade moves them. */
async function toolsOf(document: unknown): Promise<unknown> {
  const { tools, dropped } = await convertDocument(JSON.stringify(document), { document: "/api.json", operations: [] });
  expect(dropped).toEqual([]);
  return Object.fromEntries(
    tools.map((tool: ToolDefinition) => [tool.name, { ...tool, operation: { ...tool.operation, example: undefined } }]),
  );
}

async function bothWays(document: object): Promise<{ readonly ours: unknown; readonly theirs: unknown }> {
  return { ours: await toolsOf(document), theirs: await toolsOf(upgrade(structuredClone(document), "3.1")) };
}

describe("a 3.0 document gives the same tools as its upgrade to 3.1 by another library", () => {
  it("with every changed keyword", async () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", nullable: true },
        b: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        c: { type: "array", items: { $ref: "#/components/schemas/C" } },
        d: { type: "string", enum: ["x", null], nullable: true },
      },
    };
    const { ours, theirs } = await bothWays({
      openapi: "3.0.3",
      info: { title: "t", version: "1" },
      paths: {
        "/x": {
          post: {
            operationId: "x",
            parameters: [{ name: "q", in: "query", schema: { type: "number", maximum: 1, exclusiveMaximum: true } }],
            requestBody: { required: true, content: { "application/json": { schema } } },
            responses: {},
          },
          put: {
            operationId: "up",
            requestBody: {
              content: {
                "multipart/form-data": {
                  schema: { type: "object", properties: { file: { type: "string", format: "binary" } } },
                },
              },
            },
            responses: {},
          },
        },
      },
      components: { schemas: { C: { type: "object", properties: { c: { $ref: "#/components/schemas/C" } } } } },
    });
    expect(ours).toEqual(theirs);
  });

  it.for(["paystack.yaml", "ngrok.yaml", "shutterstock-1.1.32.yaml", "twilio/twilio_api_v2010.json"])(
    "of %s",
    async (file, { skip }) => {
      if (data === undefined) return skip(MESSAGE);
      const text = readFileSync(join(data, "openapi", file), "utf8");
      const { ours, theirs } = await bothWays(parse(text, { uniqueKeys: false, maxAliasCount: -1 }) as object);
      expect(ours).toEqual(theirs);
    },
  );
});
