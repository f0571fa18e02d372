import { describe, expect, it } from "vitest";
import { CONNECTION, convert, openApi, operationOf, toolOf } from "../../test/support/converted-document.js";
import { convertDocument } from "./convert-document.js";
import type { DocumentConnection } from "./document-connection.js";

describe("formats", () => {
  const get = { get: { operationId: "ping", responses: {} } };

  it.each([
    ["OpenAPI 3.0", { openapi: "3.0.3", paths: { "/ping": get } }],
    ["OpenAPI 3.1", { openapi: "3.1.0", paths: { "/ping": get } }],
    ["OpenAPI 3.1", { openapi: "3.2.0", paths: { "/ping": get } }],
    ["Swagger 2.0", { swagger: "2.0", paths: { "/ping": get } }],
    [
      "Postman collection",
      {
        info: { name: "x", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
        item: [{ name: "ping", request: { method: "GET", url: "https://x.test/ping" } }],
      },
    ],
  ])("recognizes the format by its content: %s", async (format, document) => {
    const converted = await convert(document);
    expect(converted.format).toBe(format);
    expect(converted.tools.map(({ name, operation }) => [name, operation?.path])).toEqual([["ping", "/ping"]]);
  });

  it("reads YAML with numeric keys, anchors and merge keys", async () => {
    const text = `
openapi: 3.0.1
x-common: &common
  tags: [a]
paths:
  /ping:
    get:
      <<: *common
      operationId: ping
      responses:
        404: {description: Gone}
`;
    const { tools } = await convertDocument(text, CONNECTION);
    expect(tools[0]!.operation).toMatchObject({ category: "a", errors: { 404: "Gone" } });
  });

  it.each([
    ["an empty text", "", /not an object/],
    ["an HTML page", "<html><body>Docs</body></html>", /not an object/],
    ["another document", '{"a":1}', /neither OpenAPI 3/],
    ["broken YAML", "openapi: 3.0.0\npaths: [", /line \d+ cannot be read/],
    ["an alias bomb", bomb(), /aliases that expand/],
    ["deep YAML", `a: ${"[".repeat(5_000)}`, /nested deeper/],
  ])("rejects a document that is not an API description: %s", async (_, text, message) => {
    await expect(convertDocument(text, CONNECTION)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringMatching(message) as string,
    });
  });
});

function bomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(",")}]`,
  );
  return `l0: &l0 [x]\n${levels.join("\n")}\n`;
}

describe("the described API", () => {
  it("has a title, a version, a description and an address with default values for its variables", async () => {
    const { title, version, description, baseUrl } = await convert(
      openApi(
        {},
        {
          info: { title: "Shop", version: "2.1", description: "Sells **things**, see [here](https://x.test)." },
          servers: [{ url: "https://{region}.shop.test/v1/", variables: { region: { default: "eu" } } }],
        },
      ),
    );
    expect({ title, version, description, baseUrl }).toEqual({
      title: "Shop",
      version: "2.1",
      description: "Sells **things**, see here.",
      baseUrl: "https://eu.shop.test/v1",
    });
  });

  it.each([
    [
      "a relative address is resolved against the document",
      { openapi: "3.0.0", servers: [{ url: "/v2" }] },
      "https://x.test/v2",
    ],
    [
      "host and basePath of 2.0",
      { swagger: "2.0", host: "api.test", basePath: "/v1", schemes: ["http"] },
      "http://api.test/v1",
    ],
    ["2.0 prefers https", { swagger: "2.0", host: "api.test", schemes: ["http", "https"] }, "https://api.test"],
    ["rejects credentials in the address", { openapi: "3.0.0", servers: [{ url: "https://u:p@x.test" }] }, undefined],
    ["rejects a file URL", { openapi: "3.0.0", servers: [{ url: "file:///etc" }] }, undefined],
    ["rejects a variable without a default", { openapi: "3.0.0", servers: [{ url: "https://{a}.test" }] }, undefined],
  ])("base address: %s", async (_, document, expected) => {
    const { baseUrl } = await convert({ paths: {}, ...document }, { document: "https://x.test/docs/api.json" });
    expect(baseUrl).toBe(expected);
  });

  it("lists its authentication methods, the default one first", async () => {
    const { auth } = await convert(
      openApi(
        {},
        {
          security: [{ key: [] }],
          components: {
            securitySchemes: {
              token: { type: "http", scheme: "bearer" },
              key: { type: "apiKey", in: "header", name: "X-Key" },
              login: { type: "http", scheme: "basic" },
              flow: {
                type: "oauth2",
                flows: { clientCredentials: { tokenUrl: "https://x.test/token", scopes: { read: "" } } },
              },
              person: { type: "oauth2", flows: { authorizationCode: {} } },
              odd: { type: "mutualTLS" },
            },
          },
        },
      ),
    );
    expect(auth).toEqual([
      { kind: "api-key", in: "header", name: "X-Key" },
      { kind: "bearer" },
      { kind: "basic" },
      { kind: "client-credentials", tokenUrl: "https://x.test/token", scopes: ["read"] },
      { kind: "other", what: "mutualTLS" },
    ]);
  });
});

describe("a tool", () => {
  it("has the texts of its operation", async () => {
    const tool = await toolOf({
      "/orders/{id}": {
        delete: {
          operationId: "Orders_Cancel",
          summary: "Cancel an order",
          description: "<p>Cannot be <b>undone</b>.</p>",
          tags: ["Orders", "Other"],
          deprecated: true,
          security: [],
          externalDocs: { url: "https://docs.test/cancel" },
          responses: {
            200: { description: "ok" },
            404: { description: "No such\norder" },
            default: { description: "?" },
          },
        },
      },
    });
    expect(tool).toEqual({
      name: "orders-cancel",
      title: "Cancel an order",
      description: "Deprecated. Cancel an order.\nCannot be undone.",
      inputSchema: {
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
      operation: {
        method: "DELETE",
        path: "/orders/{id}",
        parameters: [{ argument: "id", name: "id", in: "path", style: "simple", explode: false, required: true }],
        isOpen: true,
        idempotent: true,
        category: "Orders",
        deprecated: true,
        errors: { 404: "No such order", default: "?" },
        documentation: "https://docs.test/cancel",
      },
    });
  });

  it.each([
    ["get", { readOnlyHint: true, idempotentHint: true }, true],
    ["head", { readOnlyHint: true, idempotentHint: true }, true],
    ["put", { readOnlyHint: false, idempotentHint: true }, true],
    ["post", { readOnlyHint: false }, undefined],
    ["patch", { readOnlyHint: false }, undefined],
  ])("derives the annotations of %s", async (method, hints, idempotent) => {
    const tool = await toolOf({ "/x": { [method]: { operationId: "x" } } });
    expect(tool.annotations).toEqual({ ...hints, openWorldHint: true });
    expect(operationOf(tool).idempotent).toBe(idempotent);
  });

  it("prefers facts from the configuration", async () => {
    const { tools } = await convert(openApi({ "/charges": { post: { operationId: "createCharge", tags: ["x"] } } }), {
      idempotencyHeader: "Idempotency-Key",
      operations: [
        { tools: ["create-*"], risk: "high" },
        { tools: ["*"], risk: "low", idempotent: true, reversible: false, category: "money" },
      ],
    });
    expect(tools[0]!.operation).toMatchObject({
      risk: "high",
      idempotent: true,
      reversible: false,
      category: "money",
      idempotencyHeader: "Idempotency-Key",
    });
  });

  it.each([
    ["get", { risk: "high" }, { readOnlyHint: false, idempotentHint: true }],
    ["get", { risk: "destructive" }, { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ["get", { risk: "low" }, { readOnlyHint: true, idempotentHint: true }],
    ["post", { risk: "destructive" }, { readOnlyHint: false, destructiveHint: true }],
    ["post", { idempotent: true }, { readOnlyHint: false, idempotentHint: true }],
    ["delete", { risk: "medium", idempotent: false }, { readOnlyHint: false }],
  ])("derives annotations of %s from the configured facts %j", async (method, facts, hints) => {
    const operations = [{ tools: ["*"], ...facts }] as DocumentConnection["operations"];
    const { tools } = await convert(openApi({ "/x": { [method]: { operationId: "x" } } }), { operations });
    expect(tools[0]!.annotations).toEqual({ ...hints, openWorldHint: true });
  });

  it("reports configured patterns that match no tool", async () => {
    const operations = [{ tools: ["pay", "pya", "x-*"], risk: "high" }, { tools: ["p*", "pya"] }];
    const { unmatched } = await convert(openApi({ "/pay": { post: { operationId: "pay" } } }), {
      operations,
    });
    expect(unmatched).toEqual(["pya", "x-*"]);
  });

  it.each<[string, Partial<DocumentConnection>, object]>([
    [
      "does not count as idempotent because of the header alone",
      {},
      { idempotencyHeader: "Idempotency-Key", idempotent: false },
    ],
    [
      "is the configured header",
      { operations: [{ tools: ["pay"], idempotent: true }] },
      { idempotencyHeader: "Idempotency-Key", idempotent: true },
    ],
    ["uses the configured header", { idempotencyHeader: "X-Once" }, { idempotencyHeader: "X-Once" }],
  ])("with a declared header for keys: %s", async (_, connection, expected) => {
    const parameters = [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }];
    const { tools } = await convert(openApi({ "/pay": { post: { operationId: "pay", parameters } } }), connection);
    const { idempotencyHeader, idempotent } = operationOf(tools[0]!);
    expect({ idempotencyHeader, idempotent }).toEqual({ idempotent: undefined, ...expected });
  });

  it("sends idempotency keys in the header that the document names, which is not an argument", async () => {
    const parameters = [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }];
    const tool = await toolOf({ "/pay": { post: { operationId: "pay", parameters } } });
    expect(operationOf(tool)).toMatchObject({ idempotencyHeader: "Idempotency-Key", parameters: [] });
  });

  it("mentions another base address that the document gives the operation", async () => {
    const paths = { "/up": { post: { operationId: "up", servers: [{ url: "https://up.test" }] } } };
    const servers = [{ url: "https://api.test" }];
    const [here] = (await convert(openApi(paths, { servers }))).tools;
    expect(here!.description).toContain("https://up.test");
    const [there] = (await convert(openApi(paths, { servers }), { baseUrl: "https://up.test/" })).tools;
    expect(there!.description).toBe("POST /up");
  });

  it("has the examples of the document as far as they are valid", async () => {
    const tool = await toolOf(
      {
        "/pets/{id}": {
          put: {
            operationId: "x",
            parameters: [
              { name: "id", in: "path", required: true, schema: { type: "integer" }, example: 7 },
              { name: "tag", in: "query", required: true, schema: { type: "string", default: "new" } },
              { name: "bad", in: "query", required: true, schema: { type: "integer" }, example: "seven" },
              { name: "X-Token", in: "header", required: true, example: "secret" },
              { name: "optional", in: "query", example: "no" },
            ],
            requestBody: {
              content: {
                "application/json": {
                  schema: { type: "object", properties: { name: { type: "string" }, age: { type: "number" } } },
                  examples: { one: { $ref: "#/components/examples/Pet" } },
                },
              },
            },
          },
        },
      },
      { components: { examples: { Pet: { value: { name: "Rex", other: 1 } } } } },
    );
    expect(operationOf(tool).example).toEqual({ id: 7, tag: "new", name: "Rex" });
  });
});

describe("invalid content", () => {
  it.each([
    ["a file", { $ref: "./pet.yaml#/Pet" }, 'refers to "./pet.yaml#/Pet", which is outside the document'],
    ["an address", { $ref: "http://169.254.169.254/x" }, "which is outside the document"],
    ["a missing schema", { $ref: "#/components/schemas/None" }, "which does not exist"],
    ["itself", { $ref: "#/components/schemas/Loop" }, "which refers to itself"],
  ])("drops only the operation, with the reason: a reference to %s", async (_, schema, reason) => {
    const { tools, dropped } = await convert(
      openApi(
        {
          "/bad": { get: { operationId: "bad", parameters: [{ name: "a", in: "query", schema }] } },
          "/good": { get: { operationId: "good" } },
        },
        { components: { schemas: { Loop: { $ref: "#/components/schemas/Loop" } } } },
      ),
    );
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(dropped).toEqual([{ name: "GET /bad", reason: expect.stringContaining(reason) as string }]);
  });

  it.each([
    ["../up", /does not start/],
    ["/a/../../b", /leaves its base/],
    ["/a/%2e%2e/b", /leaves its base/],
    ["/a b", /white space/],
    ["/a\\b", /backslash/],
    ["/a\r\nHost: x", /white space/],
  ])("drops an operation with the path %j, with the reason", async (path, reason) => {
    const { tools, dropped } = await convert(openApi({ [path]: { get: { operationId: "x" } } }));
    expect(tools).toEqual([]);
    expect(dropped[0]!.reason).toMatch(reason);
  });

  it("drops path items in other files and methods that are never sent, and follows references within the document", async () => {
    const { tools, dropped } = await convert(
      openApi({
        "/far": { $ref: "other.yaml" },
        "/near": { $ref: "#/paths/~1here" },
        "/here": { get: { summary: "Look." } },
        "/trace": { trace: {} },
        "/odd": null,
        "x-note": {},
      }),
    );
    expect(tools.map(({ name }) => name)).toEqual(["get-near", "get-here"]);
    expect(dropped.map(({ name }) => name)).toEqual(["/far", "TRACE /trace"]);
  });
});
