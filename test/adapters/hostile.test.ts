import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertDocument } from "../../src/adapters/convert-document.js";
import { compileCheck } from "../../src/executor/check-value.js";
import { assertSchemaWithinLimits } from "../../src/executor/schema-limits.js";
import { checkJsonValue } from "../../src/util/json/check-value.js";

const CONNECTION = { document: "/api.json", operations: [] };
const convert = (document: unknown) => convertDocument(JSON.stringify(document), CONNECTION);

/** Every tool is valid: its schema compiles within the limits, its definition is strict JSON, its name has the gateway's form. */
async function soundTools(document: unknown) {
  const converted = await convert(document);
  for (const tool of converted.tools) {
    expect(tool.name).toMatch(/^[a-z0-9-]{1,64}$/);
    const checked = checkJsonValue(tool);
    expect(checked.kind === "refused" ? checked.violations : []).toEqual([]);
    assertSchemaWithinLimits(tool.inputSchema, tool.name);
    compileCheck(structuredClone(tool.inputSchema))({});
  }
  expect(new Set(converted.tools.map(({ name }) => name)).size).toBe(converted.tools.length);
  return converted;
}

describe("a hostile document", () => {
  it("with ten thousand operations of one id gets a unique name for each, the same in any order", async () => {
    const entries = Array.from(
      { length: 10_000 },
      (_, index) => [`/p/${index}`, { get: { operationId: "same" } }] as const,
    );
    const there = await soundTools({ openapi: "3.0.0", paths: Object.fromEntries(entries) });
    const back = await convert({ openapi: "3.0.0", paths: Object.fromEntries([...entries].reverse()) });
    expect(there.tools).toHaveLength(10_000);
    const byPath = (tools: typeof there.tools) => new Map(tools.map(({ name, operation }) => [operation!.path, name]));
    expect(byPath(back.tools)).toEqual(byPath(there.tools));
  });

  it("with more than twenty thousand operations is truncated and reports it", async () => {
    const paths = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`/p/${index}`, { get: {} }]));
    const { tools, truncated } = await convert({ openapi: "3.0.0", paths });
    expect([tools.length, truncated]).toEqual([20_000, true]);
  });

  it("whose operations share one huge schema stays within the time and size limits", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`m${index}`, { type: "string", description: "d".repeat(1_000) }]),
    );
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `S${index}`,
        { type: "object", properties: { ...properties, next: { $ref: `#/components/schemas/S${(index + 1) % 40}` } } },
      ]),
    );
    const requestBody = {
      content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/S0" } } } },
    };
    const paths = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`/p${index}`, { post: { requestBody } }]),
    );
    const { tools } = await soundTools({ openapi: "3.1.0", paths, components: { schemas } });
    expect(tools).toHaveLength(20);
    expect(tools.every(({ inputSchema }) => inputSchema["$comment"] !== undefined)).toBe(true);
  });

  it("with names that programs interpret specially has no side effects", async () => {
    const text = `{"openapi":"3.0.0","__proto__":{"polluted":1},"paths":{"/__proto__/{constructor}":{"post":{
      "operationId":"__proto__","tags":["__proto__"],
      "parameters":[{"name":"__proto__","in":"query","schema":{"type":"string"}},{"name":"constructor","in":"path"}],
      "requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["__proto__","a"],
        "properties":{"__proto__":{"type":"string"},"a":{"$ref":"#/components/schemas/__proto__"}},
        "example":{"__proto__":{"x":1}}}}}},
      "responses":{"__proto__":{"description":"x"},"404":{"$ref":"#/__proto__"}}}}},
      "components":{"schemas":{"__proto__":{"type":"object","properties":{"prototype":{}}}}}}`;
    const { tools } = await convertDocument(text, CONNECTION);
    expect(Object.keys({})).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(tools[0]).toMatchObject({ name: "proto", operation: { category: "__proto__" } });
    expect(Object.keys(tools[0]!.inputSchema["properties"] as object)).toEqual([
      "query___proto__",
      "path_constructor",
      "a",
    ]);
    expect(checkJsonValue(tools[0]).kind).toBe("value");
  });

  it("that refers to internal addresses is converted without requests, and its server address is still checked later", async () => {
    const { baseUrl, dropped, tools } = await convert({
      openapi: "3.0.0",
      servers: [{ url: "http://169.254.169.254/latest" }],
      paths: {
        "/a": { $ref: "file:///etc/passwd" },
        "/b": { get: { parameters: [{ $ref: "http://127.0.0.1:1/x" }] } },
        "/c": { get: { operationId: "c" } },
      },
    });
    // Whether such an address may be used is decided when connecting.
    expect(baseUrl).toBe("http://169.254.169.254/latest");
    expect(dropped).toHaveLength(2);
    expect(tools.map(({ name }) => name)).toEqual(["c"]);
  });

  it("with texts of 1 MB and control characters gives short texts without control characters", async () => {
    const text = `${"<".repeat(500_000)}\u0007\u0000[${"[".repeat(400_000)}\ud800`;
    const { tools } = await soundTools({
      openapi: "3.0.0",
      info: { title: text, description: text },
      paths: {
        "/a": {
          get: {
            operationId: text,
            summary: text,
            description: text,
            tags: [text],
            parameters: [{ name: "q", in: "query", description: text }],
          },
        },
      },
    });
    expect(JSON.stringify(tools[0]).length).toBeLessThan(10_000);
  });

  it("of 45 MB is read, one of more than 50 MiB is rejected", async () => {
    const paths = { "/a": { get: { operationId: "a", "x-fill": "f".repeat(45_000_000) } } };
    expect((await convert({ openapi: "3.0.0", paths })).tools).toHaveLength(1);
    const large = { openapi: "3.0.0", paths: {}, "x-fill": "f".repeat(53_000_000) };
    await expect(convert(large)).rejects.toThrow("larger than 50 MiB");
  });

  it("of any shape is converted or rejected, and never crashes", async () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "allOf",
      "oneOf",
      "anyOf",
      "required",
      "enum",
      "default",
      "nullable",
      "$ref",
      "not",
      "additionalProperties",
      "pattern",
      "minimum",
      "exclusiveMinimum",
      "format",
      "description",
      "readOnly",
      "patternProperties",
      "parameters",
      "requestBody",
      "content",
      "application/json",
      "multipart/form-data",
      "schema",
      "name",
      "in",
      "style",
      "explode",
      "get",
      "post",
      "tags",
      "security",
      "servers",
      "responses",
      "404",
      "operationId",
      "example",
      "examples",
      "__proto__",
      "collectionFormat",
    );
    const leaf = fc.oneof(
      fc.constantFrom(
        "string",
        "object",
        "array",
        "path",
        "query",
        "body",
        "formData",
        "#/paths/~1a",
        "#/components/schemas/A",
        "#",
        "x.yaml",
        true,
        false,
        null,
        1e300,
        -0,
        "(a+)+$",
      ),
      fc.string(),
      fc.double(),
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("any"), { maxKeys: 5 }),
      ),
    }));
    const document = fc.record({
      version: fc.constantFrom({ openapi: "3.0.1" }, { openapi: "3.1.0" }, { swagger: "2.0" }),
      item: any,
      operation: fc.dictionary(keyword, any, { maxKeys: 6 }),
      schema: any,
    });
    await fc.assert(
      fc.asyncProperty(document, async ({ version, item, operation, schema }) => {
        const { tools, dropped } = await soundTools({
          ...version,
          paths: { "/a": item, "/b/{c}": { post: operation, get: operation } },
          components: { schemas: { A: schema } },
          definitions: { A: schema },
          servers: item,
        });
        for (const { reason } of dropped)
          expect(reason).not.toBe("could not be converted because of an internal error");
        expect(tools.length + dropped.length).toBeGreaterThanOrEqual(2);
      }),
      { numRuns: 400 },
    );
  });

  it("of Postman of any shape is converted or rejected, and never crashes", async () => {
    const keyword = fc.constantFrom(
      "item",
      "request",
      "url",
      "raw",
      "host",
      "path",
      "query",
      "variable",
      "key",
      "value",
      "method",
      "header",
      "body",
      "mode",
      "urlencoded",
      "formdata",
      "graphql",
      "auth",
      "type",
      "apikey",
      "name",
      "disabled",
      "response",
      "code",
      "options",
      "__proto__",
    );
    const leaf = fc.oneof(
      fc.constantFrom(
        "https://x.test/{{a}}/:b?c=d",
        "{{a}}",
        "raw",
        "urlencoded",
        "formdata",
        "graphql",
        "file",
        '{"a": {{b}}}',
        "POST",
        true,
        null,
        1,
      ),
      fc.string(),
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("any"), { maxKeys: 5 }),
      ),
    }));
    const request = fc.record({ method: fc.constantFrom("POST", "GET"), url: any, header: any, body: any, auth: any });
    await fc.assert(
      fc.asyncProperty(any, request, async (item, one) => {
        const { dropped } = await soundTools({
          info: { name: "x", _postman_id: "1" },
          item: [item, { name: "a", request: one }, { name: "f", item: [item, { name: "a", request: one }] }],
          variable: item,
        });
        for (const { reason } of dropped)
          expect(reason).not.toBe("could not be converted because of an internal error");
      }),
      { numRuns: 400 },
    );
  });
});
