import { describe, expect, it } from "vitest";
import { convertDocument } from "../../src/adapters/convert-document.js";
import type { JsonObject } from "../../src/model/json.js";
import type { ToolDefinition } from "../../src/model/tool.js";
import { roundTrip } from "./round-trip.js";
import { toConnection } from "./session.js";

const TEXT = { type: "string" };
const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });
const withBody = (type: string, schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { [type]: { schema, ...more } } },
  responses: { "200": { description: "Done." } },
});
const responses = { "200": { description: "Done." } };
const COLORS = { type: "array", items: { enum: ["red", "green"] }, minItems: 1 };
const POINT = {
  type: "object",
  required: ["x"],
  properties: { x: { type: "integer" }, y: TEXT },
  additionalProperties: false,
};

/** Every serialization of a value that OpenAPI documents use. */
const DOCUMENT: JsonObject = {
  openapi: "3.0.3",
  info: { title: "All ways", version: "1" },
  paths: {
    "/items/{id}": {
      get: {
        operationId: "getItem",
        parameters: [
          { name: "id", in: "path", required: true, schema: TEXT },
          query("exploded", COLORS),
          query("joined", COLORS, { explode: false }),
          query("piped", COLORS, { style: "pipeDelimited", explode: false }),
          query("deep", POINT, { style: "deepObject", required: true }),
          query("limit", { type: "integer", minimum: 1, maximum: 9 }),
          query("exact", { type: "boolean" }),
          { name: "X-Number", in: "header", required: true, schema: { type: "integer" } },
          { name: "theme", in: "cookie", required: true, schema: { enum: ["dark", "light"] } },
          { name: "filter", in: "query", required: true, content: { "application/json": { schema: POINT } } },
        ],
        responses,
      },
    },
    "/json": {
      post: {
        operationId: "sendJson",
        ...withBody("application/json", {
          type: "object",
          required: ["at", "tags"],
          properties: { at: POINT, tags: { type: "array", items: TEXT, minItems: 1 }, note: TEXT },
        }),
      },
    },
    "/list": {
      put: { operationId: "sendList", ...withBody("application/json", { type: "array", items: POINT, minItems: 1 }) },
    },
    "/form": {
      post: {
        operationId: "sendForm",
        ...withBody(
          "application/x-www-form-urlencoded",
          { type: "object", required: ["name", "at", "colors"], properties: { name: TEXT, at: POINT, colors: COLORS } },
          { encoding: { at: { style: "deepObject", explode: true } } },
        ),
      },
    },
    "/parts": {
      post: {
        operationId: "sendParts",
        ...withBody("multipart/form-data", {
          type: "object",
          required: ["file", "name"],
          properties: { file: { type: "string", format: "binary" }, name: TEXT },
        }),
      },
    },
    "/text": { post: { operationId: "sendText", ...withBody("text/plain", TEXT) } },
    "/bytes": {
      post: { operationId: "sendBytes", ...withBody("application/octet-stream", { type: "string", format: "binary" }) },
    },
  },
};

async function toolsOf(document: JsonObject): Promise<readonly ToolDefinition[]> {
  return (await convertDocument(JSON.stringify(document), toConnection())).tools;
}

describe("arguments generated from the schemas of a document", () => {
  it.each([1, 2, 3, 4, 5])("arrive as the document describes, with seed %i", async (seed) => {
    const trip = await roundTrip({ document: DOCUMENT, tools: await toolsOf(DOCUMENT), seed, count: 100 });
    expect(trip).toEqual({ sent: 7, unjudged: 0, without: [], failures: [] });
  });

  it("are detected when they are sent in another way", async () => {
    const tools = (await toolsOf(DOCUMENT)).map(({ operation, ...tool }) => ({
      ...tool,
      operation: {
        ...operation!,
        method: operation!.method === "PUT" ? "POST" : operation!.method,
        parameters: operation!.parameters.map((each) => ({
          ...each,
          name: each.name === "deep" ? "shallow" : each.name,
        })),
        ...(operation!.body === undefined ? {} : { body: { ...operation!.body, contentType: "application/xml" } }),
      },
    }));
    const { failures } = await roundTrip({ document: DOCUMENT, tools, seed: 1, count: 100 });
    expect(failures.map(({ tool }) => tool).sort()).toEqual([
      "get-item",
      "send-bytes",
      "send-form",
      "send-json",
      "send-list",
      "send-text",
    ]);
  });
});
