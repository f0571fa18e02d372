import { describe, expect, it } from "vitest";
import { convert, operationOf, toolOf } from "../../test/support/converted-document.js";
import type { JsonObject } from "../model/json.js";

describe("the body of an operation", () => {
  const bodyOf = async (content: JsonObject, more: JsonObject = {}, rest: JsonObject = {}) => {
    const tool = await toolOf({ "/x": { post: { operationId: "x", requestBody: { content, ...more } } } }, rest);
    return { body: operationOf(tool).body, schema: tool.inputSchema };
  };
  const object = {
    type: "object",
    required: ["name", "id"],
    properties: { id: { type: "integer", readOnly: true }, name: { type: "string" }, tag: { type: "string" } },
  };

  it("is split into its members, without read-only ones, if it is a plain object", async () => {
    const { body, schema } = await bodyOf({ "application/json": { schema: object } }, { required: true });
    expect(body).toEqual({
      contentType: "application/json",
      kind: "json",
      required: true,
      members: [
        { argument: "name", name: "name" },
        { argument: "tag", name: "tag" },
      ],
    });
    expect(schema["required"]).toEqual(["name"]);
  });

  it.each([
    [undefined, ["name"], true],
    [true, ["name"], true],
    [false, undefined, undefined],
  ])("with required: %s has the required members %j", async (required, names, isRequired) => {
    const more = required === undefined ? {} : { required };
    const { body, schema } = await bodyOf({ "application/json": { schema: object } }, more);
    expect(schema["required"]).toEqual(names);
    expect(body?.required).toBe(isRequired);
  });

  it.each([
    ["a list", { type: "array", items: { type: "string" } }],
    ["a text", { type: "string" }],
    [
      "alternatives",
      {
        oneOf: [
          { type: "object", properties: { a: {} } },
          { type: "object", properties: { b: {} } },
        ],
      },
    ],
    ["a map with free keys", { type: "object", additionalProperties: { type: "string" } }],
    ["anything", {}],
  ])("that is %s is one argument", async (_, schema) => {
    const { body } = await bodyOf({ "application/json": { schema } });
    expect(body).toMatchObject({ argument: "body", kind: "json" });
  });

  it("merges allOf, and keeps alternatives that only differ in required", async () => {
    const { schema } = await bodyOf(
      {
        "application/json": {
          schema: {
            allOf: [
              { $ref: "#/components/schemas/Base" },
              {
                type: "object",
                properties: { b: { type: "string" } },
                anyOf: [{ required: ["a"] }, { required: ["b"] }],
              },
              { required: ["a"] },
            ],
          },
        },
      },
      {},
      { components: { schemas: { Base: { type: "object", properties: { a: { type: "integer" } } } } } },
    );
    expect(schema).toMatchObject({
      properties: { a: { type: "integer" }, b: { type: "string" } },
      required: ["a"],
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    });
  });

  it("names alternatives by their arguments, several as a list, and none if the body is optional", async () => {
    const schema = {
      type: "object",
      properties: { q: {}, b: {} },
      anyOf: [{ required: ["q"] }, { required: ["b"] }],
      oneOf: [{ required: ["b"] }, { required: ["not-there"] }],
    };
    const requestBody = { content: { "application/json": { schema } } };
    const parameters = [{ name: "q", in: "query" }];
    const tool = await toolOf({ "/x": { post: { operationId: "x", parameters, requestBody } } });
    expect(tool.inputSchema["allOf"]).toEqual([
      { anyOf: [{ required: ["body_q"] }, { required: ["b"] }] },
      { oneOf: [{ required: ["b"] }] },
    ]);
    const free = { ...requestBody, required: false };
    const optional = await toolOf({ "/x": { post: { operationId: "x", parameters, requestBody: free } } });
    expect(Object.keys(optional.inputSchema)).toEqual(["type", "properties", "additionalProperties"]);
  });

  it("states how each member of a form is encoded", async () => {
    const { body } = await bodyOf({
      "application/x-www-form-urlencoded": {
        schema: { type: "object", properties: { a: { type: "array" }, b: { type: "object" }, c: {} } },
        encoding: { a: { explode: false }, b: { style: "deepObject", explode: true } },
      },
    });
    expect(body).toMatchObject({
      kind: "form",
      contentType: "application/x-www-form-urlencoded",
      members: [
        { argument: "a", name: "a", style: "form", explode: false },
        { argument: "b", name: "b", style: "deepObject", explode: true },
        { argument: "c", name: "c" },
      ],
    });
  });

  it("takes paths for files in multipart bodies", async () => {
    const { body, schema } = await bodyOf({
      "multipart/form-data": {
        schema: {
          type: "object",
          properties: {
            file: { type: "string", format: "binary", description: "The picture." },
            more: { type: "array", items: { type: "string", format: "binary" } },
            meta: { type: "object" },
          },
        },
        encoding: { file: { contentType: "image/png, image/jpeg" }, meta: { contentType: "application/json" } },
      },
    });
    expect(body?.members).toEqual([
      { argument: "file", name: "file", contentType: "image/png", isFile: true },
      { argument: "more", name: "more", isFile: true },
      { argument: "meta", name: "meta", contentType: "application/json" },
    ]);
    expect(schema["properties"]).toMatchObject({
      file: { type: "string", description: "The picture. Path of the file to send." },
      more: { type: "array", items: { type: "string" } },
    });
  });

  it.each([
    ["application/octet-stream", "binary", "application/octet-stream"],
    ["image/*", "binary", "application/octet-stream"],
    ["text/plain", "text", "text/plain"],
    ["application/xml", "text", "application/xml"],
    ["*/*", "json", "application/json"],
    ["application/vnd.api+json; charset=utf-8", "json", "application/vnd.api+json"],
  ])("of type %s is %s, sent as %s", async (type, kind, contentType) => {
    const { body } = await bodyOf({ [type]: { schema: { type: "string" } } });
    expect(body).toMatchObject({ kind, contentType, argument: "body" });
  });

  it("prefers JSON among several media types", async () => {
    const schema = { type: "object", properties: { a: {} } };
    const { body } = await bodyOf({
      "application/xml": { schema },
      "application/x-www-form-urlencoded": { schema },
      "application/json": { schema },
    });
    expect(body?.kind).toBe("json");
  });

  it("is never sent with GET", async () => {
    const requestBody = { content: { "application/json": { schema: { type: "object", properties: { a: {} } } } } };
    expect(operationOf(await toolOf({ "/x": { get: { operationId: "x", requestBody } } })).body).toBeUndefined();
  });

  it("is a parameter, or a form of parameters, in 2.0", async () => {
    const { tools } = await convert({
      swagger: "2.0",
      consumes: ["application/json"],
      definitions: { Pet: object },
      paths: {
        "/a": {
          post: {
            operationId: "a",
            parameters: [{ in: "body", name: "pet", required: true, schema: { $ref: "#/definitions/Pet" } }],
          },
        },
        "/b": {
          post: {
            operationId: "b",
            consumes: ["application/x-www-form-urlencoded"],
            parameters: [
              { in: "formData", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "multi" },
              { in: "formData", name: "n", type: "integer", required: true },
            ],
          },
        },
        "/c": { post: { operationId: "c", parameters: [{ in: "formData", name: "f", type: "file" }] } },
      },
    });
    const [a, b, c] = tools.map((tool) => operationOf(tool).body);
    expect(a).toMatchObject({ kind: "json", required: true, members: [{ name: "name" }, { name: "tag" }] });
    expect(b).toMatchObject({ kind: "form", members: [{ name: "tags", style: "form", explode: true }, { name: "n" }] });
    expect(c).toMatchObject({ kind: "multipart", members: [{ name: "f", isFile: true }] });
  });
});
