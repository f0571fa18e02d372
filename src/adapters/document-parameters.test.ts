import { describe, expect, it } from "vitest";
import { convert, openApi, operationOf, propertiesOf, toolOf } from "../../test/support/converted-document.js";
import type { JsonObject } from "../model/json.js";

describe("parameters", () => {
  const parameter = async (raw: JsonObject) => {
    const path = raw["in"] === "path" ? "/x/{p}" : "/x";
    return operationOf(await toolOf({ [path]: { get: { operationId: "x", parameters: [{ name: "p", ...raw }] } } }))
      .parameters[0];
  };

  it.each([
    ["path", {}, "simple", false],
    ["path", { style: "label", explode: true }, "label", true],
    ["path", { style: "matrix" }, "matrix", false],
    ["query", {}, "form", true],
    ["query", { explode: false }, "form", false],
    ["query", { style: "spaceDelimited" }, "spaceDelimited", false],
    ["query", { style: "pipeDelimited", explode: false }, "pipeDelimited", false],
    ["query", { style: "deepObject" }, "deepObject", true],
    ["query", { style: "matrix" }, "form", true],
    ["header", {}, "simple", false],
    ["header", { explode: true }, "simple", true],
    ["cookie", {}, "form", true],
  ])("in %s with %j are written in style %s, exploded: %s", async (place, how, style, explode) => {
    expect(await parameter({ in: place, schema: { type: "array" }, ...how })).toMatchObject({ style, explode });
  });

  it.each([
    ["csv", "form", false],
    ["multi", "form", true],
    ["ssv", "spaceDelimited", false],
    ["pipes", "pipeDelimited", false],
    [undefined, "form", false],
  ])("of 2.0 in format %s are written in style %s, exploded: %s", async (collectionFormat, style, explode) => {
    const parameters = [{ name: "p", in: "query", type: "array", items: { type: "string" }, collectionFormat }];
    const { tools } = await convert({ swagger: "2.0", paths: { "/x": { get: { operationId: "x", parameters } } } });
    expect(tools[0]!.operation!.parameters[0]).toMatchObject({ style, explode });
    expect(propertiesOf(tools[0]!)["p"]).toEqual({ type: "array", items: { type: "string" } });
  });

  it("may be JSON, keep reserved characters and be required", async () => {
    expect(await parameter({ in: "query", content: { "application/json": { schema: {} } } })).toMatchObject({
      isJson: true,
    });
    expect(await parameter({ in: "query", allowReserved: true, required: true })).toMatchObject({
      allowReserved: true,
      required: true,
    });
  });

  it("of an operation override those of its path, and both may be references", async () => {
    const tool = await toolOf(
      {
        "/x/{id}": {
          parameters: [{ $ref: "#/components/parameters/Id" }, { name: "q", in: "query", schema: { type: "string" } }],
          get: {
            operationId: "x",
            parameters: [{ name: "q", in: "query", schema: { type: "integer" }, deprecated: true }],
          },
        },
      },
      {
        components: {
          parameters: {
            Id: { name: "id", in: "path", schema: { $ref: "#/components/schemas/Id" }, description: "Which." },
          },
          schemas: { Id: { type: "string", format: "uuid", description: "An id." } },
        },
      },
    );
    expect(propertiesOf(tool)).toEqual({
      id: { type: "string", format: "uuid", description: "Which." },
      q: { type: "integer", deprecated: true },
    });
  });

  it.each([
    "Host",
    "authorization",
    "Content-Length",
    "Cookie",
    "X-Forwarded-For",
    "Proxy-Authorization",
    "X-HTTP-Method-Override",
    "bad name",
    "a\r\nb",
  ])("that would set the header %j are dropped", async (name) => {
    const tool = await toolOf({
      "/x": { get: { operationId: "x", parameters: [{ name, in: "header", required: true }] } },
    });
    expect(operationOf(tool).parameters).toEqual([]);
    expect(tool.inputSchema["properties"]).toEqual({});
  });

  it("that carry credentials are not arguments", async () => {
    const tool = await toolOf(
      {
        "/x": {
          get: {
            operationId: "x",
            parameters: [
              { name: "api_key", in: "query" },
              { name: "q", in: "query" },
            ],
          },
        },
      },
      { components: { securitySchemes: { k: { type: "apiKey", in: "query", name: "api_key" } } } },
    );
    expect(Object.keys(propertiesOf(tool))).toEqual(["q"]);
  });

  it("that the configuration sets are not arguments", async () => {
    const parameters = ["X-Version", "X-Key", "X-Other"].map((name) => ({ name, in: "header", required: true }));
    const { tools } = await convert(openApi({ "/x": { get: { operationId: "x", parameters } } }), {
      headers: { "x-version": "2" },
      auth: { kind: "api-key", in: "header", name: "x-key", value: "${K}" },
    });
    expect(Object.keys(propertiesOf(tools[0]!))).toEqual(["X-Other"]);
  });

  it("with the same name in several locations have one name for each location", async () => {
    const tool = await toolOf({
      "/x/{id}": {
        post: {
          operationId: "x",
          parameters: [
            { name: "id", in: "query" },
            { name: "filter[status]", in: "query" },
            { name: "constructor", in: "query" },
          ],
          requestBody: {
            content: {
              "application/json": { schema: { type: "object", properties: { id: { type: "integer" }, body: {} } } },
            },
          },
        },
      },
    });
    expect(operationOf(tool).parameters.map(({ argument, name, in: place }) => [argument, place, name])).toEqual([
      ["id", "path", "id"],
      ["query_id", "query", "id"],
      ["filter_status", "query", "filter[status]"],
      ["query_constructor", "query", "constructor"],
    ]);
    expect(operationOf(tool).body?.members).toEqual([
      { argument: "body_id", name: "id" },
      { argument: "body", name: "body" },
    ]);
  });

  it("that the path sets in its query are not arguments", async () => {
    const parameters = [{ name: "temp", in: "query" }];
    const tool = await toolOf({ "/expire?temp=true": { post: { operationId: "x", parameters } } });
    expect(operationOf(tool)).toMatchObject({ path: "/expire?temp=true", parameters: [] });
  });
});
