import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import { convertDocument } from "../convert-document.js";
import type { DocumentConnection } from "../document-connection.js";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

function convert(item: unknown[], rest: JsonObject = {}, connection: Partial<DocumentConnection> = {}) {
  const document = { info: { name: "Shop", schema: SCHEMA }, item, ...rest };
  return convertDocument(JSON.stringify(document), { document: "/c.json", operations: [], ...connection });
}

async function toolOf(request: unknown, rest: JsonObject = {}) {
  const { tools, dropped } = await convert([{ name: "Do it", request }], rest);
  expect(dropped).toEqual([]);
  return tools[0]!;
}

describe("addresses", () => {
  it.each([
    ["a text", "https://api.test/v1/users/:id?page=1", "https://api.test", "/v1/users/{id}"],
    [
      "an object with parts",
      { protocol: "https", host: ["api", "test"], path: ["users", ":id"] },
      "https://api.test",
      "/users/{id}",
    ],
    ["a variable that has a value", { raw: "{{base}}/users/{{id}}" }, "https://base.test/v2", "/users/{id}"],
    ["a variable without a value", "{{other}}/users/{{user id}}/x".replace(" ", "_"), undefined, "/users/{user_id}/x"],
    ["a variable inside the host", "https://{{sub}}.test/x", "https://eu.test", "/x"],
    ["a variable of a path that has a value", "https://api.test/{{version}}/x", "https://api.test", "/v9/x"],
    ["no protocol", "api.test/x", "https://api.test", "/x"],
    ["only a host", "https://api.test", "https://api.test", "/"],
  ])("may be %s", async (_, url, baseUrl, path) => {
    const variable = [
      { key: "base", value: "https://{{host}}/v2" },
      { key: "host", value: "base.test" },
      { key: "sub", value: "eu" },
      { key: "version", value: "v9" },
      { key: "id", value: "" },
    ];
    const converted = await convert([{ name: "x", request: { method: "GET", url } }], { variable });
    expect(converted.baseUrl).toBe(baseUrl);
    expect(converted.tools[0]!.operation!.path).toBe(path);
  });

  it("are relative to the configured base address if they start with it", async () => {
    const item = [{ name: "x", request: "https://api.test/v1/users" }];
    const { tools } = await convert(item, {}, { baseUrl: "https://api.test/v1" });
    expect(tools[0]!.operation!.path).toBe("/users");
  });

  it("mentions an address other than that of most requests in the description", async () => {
    const { tools, baseUrl } = await convert([
      { name: "a", request: "https://one.test/a" },
      { name: "b", request: "https://one.test/b" },
      { name: "c", request: "https://two.test/c" },
    ]);
    expect(baseUrl).toBe("https://one.test");
    expect(tools[2]!.description).toContain("https://two.test");
  });

  it.each([
    ["no URL", { method: "GET" }, "has no URL"],
    ["a path that leaves the base address", "https://x.test/a/../../b", "leaves its base address"],
    ["a method that is never sent", { method: "TRACE", url: "https://x.test" }, "never sent"],
  ])("are dropped with a reason: %s", async (_, request, reason) => {
    const { tools, dropped } = await convert([
      { name: "Bad", request },
      { name: "Good", request: "https://x.test" },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(dropped).toEqual([{ name: "Bad", reason: expect.stringContaining(reason) as string }]);
  });
});

describe("folders", () => {
  it("are categories, and complete names of requests that are too generic", async () => {
    const request = "https://x.test/a";
    const { tools } = await convert([
      {
        name: "Users",
        item: [
          { name: "Create", request },
          { name: "Delete user", request },
          { name: "Sub", item: [{ name: "Create", request: "https://x.test/b" }] },
        ],
      },
      { name: "Ping", request },
    ]);
    expect(tools.map(({ name, operation }) => [name, operation!.category])).toEqual([
      ["users-create", "Users"],
      ["delete-user", "Users"],
      ["sub-create", "Sub"],
      ["ping", undefined],
    ]);
  });

  it("may contain the same request twice", async () => {
    const twice = { name: "Same", request: "https://x.test/a" };
    const { tools } = await convert([twice, twice, twice]);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(3);
  });

  it("pass on variables and authentication, the innermost first", async () => {
    const auth = (type: string, values: JsonObject[] = []) => ({ type, [type]: values });
    const { tools, auth: wanted } = await convert(
      [
        { name: "inherits", request: "{{base}}/a" },
        {
          name: "folder",
          auth: auth("apikey", [
            { key: "key", value: "X-Key" },
            { key: "value", value: "secret" },
          ]),
          variable: [{ key: "base", value: "https://b.test" }],
          item: [
            { name: "near", request: { method: "GET", url: "{{base}}/b", header: [{ key: "X-Key", value: "{{k}}" }] } },
            { name: "open", request: { method: "GET", url: "{{base}}/c", auth: { type: "noauth" } } },
          ],
        },
      ],
      {
        auth: auth("bearer", [{ key: "token", value: "{{token}}" }]),
        variable: [{ key: "base", value: "https://b.test" }],
      },
    );
    expect(wanted).toEqual([{ kind: "bearer" }, { kind: "api-key", in: "header", name: "X-Key" }]);
    expect(tools.map(({ operation }) => operation!.isOpen)).toEqual([undefined, undefined, true]);
    expect(tools[1]!.operation!.parameters).toEqual([]);
  });

  it.each([
    [{ type: "basic", basic: [] }, { kind: "basic" }],
    [
      { type: "apikey", apikey: { key: "k", in: "query" } },
      { kind: "api-key", in: "query", name: "k" },
    ],
    [{ type: "oauth2", oauth2: [] }, { kind: "bearer" }],
    [
      {
        type: "oauth2",
        oauth2: [
          { key: "grant_type", value: "client_credentials" },
          { key: "accessTokenUrl", value: "https://x.test/t" },
          { key: "scope", value: "a b" },
        ],
      },
      { kind: "client-credentials", tokenUrl: "https://x.test/t", scopes: ["a", "b"] },
    ],
    [{ type: "awsv4" }, { kind: "other", what: "awsv4" }],
  ])("read the authentication %j", async (auth, wanted) => {
    expect((await convert([{ name: "a", request: "https://x.test" }], { auth })).auth).toEqual([wanted]);
  });
});

describe("parameters", () => {
  it("come from the path, the query and headers, except disabled, reserved and credential ones", async () => {
    const tool = await toolOf({
      method: "GET",
      url: {
        raw: "https://x.test/users/:id?page=2&tag=a&tag=b&off=1",
        variable: [{ key: "id", value: "7", description: "Whose." }],
        query: [
          { key: "page", value: "2", description: { content: "Which page." } },
          { key: "tag", value: "a" },
          { key: "tag", value: "b" },
          { key: "off", value: "1", disabled: true },
          { key: "api_token", value: "secret" },
        ],
      },
      header: [
        { key: "X-Trace", value: "abc" },
        { key: "Authorization", value: "Bearer secret" },
        { key: "X-Off", value: "1", disabled: true },
      ],
    });
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: {
        id: { type: ["number", "string"], description: "Whose." },
        page: { type: ["number", "string"], description: "Which page." },
        tag: { type: "array", items: { type: "string" } },
        api_token: { type: "string" },
        "X-Trace": { type: "string" },
      },
      required: ["id"],
      additionalProperties: false,
    });
    expect(JSON.stringify(tool)).not.toContain("secret");
    expect(tool.operation!.example).toEqual({ id: 7 });
  });

  it("never show example values that may be secrets", async () => {
    const tool = await toolOf(
      {
        method: "POST",
        url: {
          raw: "https://x.test/:token/:hidden",
          variable: [
            { key: "token", value: "canary" },
            { key: "hidden", value: "{{apiKey}}" },
          ],
        },
        body: {
          mode: "raw",
          raw: '{"user": "ann", "password": "canary", "pw": "canary", "userPwd": "canary", "otp": "canary", "Pass": "canary", "shipping": "sea", "deep": [{"pin": "canary", "a": "{{apiKey}}", "b": 1}]}',
        },
      },
      { variable: [{ key: "apiKey", value: "canary" }] },
    );
    expect(JSON.stringify(tool)).not.toContain("canary");
    expect(tool.operation!.example).toEqual({ user: "ann", shipping: "sea", deep: [{ b: 1 }] });
  });
});

describe("bodies", () => {
  const bodyOf = async (body: JsonObject, header: JsonObject[] = []) => {
    const tool = await toolOf(
      { method: "POST", url: "https://x.test", header, body },
      { variable: [{ key: "name", value: "Rex" }] },
    );
    return { tool, body: tool.operation!.body, properties: tool.inputSchema["properties"] };
  };

  it("of raw JSON have members, even with comments and variables", async () => {
    const raw = '{\n // who\n "name": "{{name}}", "age": {{age}}, "tags": ["a"], "at": {"x": 1.5}, "ok": true,\n}';
    const { body, properties, tool } = await bodyOf({ mode: "raw", raw, options: { raw: { language: "json" } } });
    expect(body).toMatchObject({ kind: "json", contentType: "application/json" });
    expect(properties).toEqual({
      name: { type: "string" },
      age: {},
      tags: { type: "array", items: { type: "string" } },
      at: { type: "object", properties: { x: { type: "number" } } },
      ok: { type: "boolean" },
    });
    expect(tool.operation!.example).toMatchObject({ name: "Rex", tags: ["a"], ok: true });
  });

  it("of raw JSON that is not an object are one argument", async () => {
    const { body } = await bodyOf({ mode: "raw", raw: "[1, 2]" }, [
      { key: "Content-Type", value: "application/json; charset=utf-8" },
    ]);
    expect(body).toEqual({ kind: "json", contentType: "application/json", argument: "body" });
  });

  it.each([
    ["xml", "<a/>", "application/xml"],
    ["text", "hello", "text/plain"],
    ["json", "not json", "application/json"],
  ])("of raw %s that is text are one argument", async (language, raw, contentType) => {
    const { body, tool } = await bodyOf({ mode: "raw", raw, options: { raw: { language } } });
    expect(body).toMatchObject({ kind: "text", contentType, argument: "body" });
    expect(tool.operation!.example).toBeUndefined();
  });

  it("of a form have one argument per member", async () => {
    const urlencoded = [
      { key: "a", value: "1", description: "One." },
      { key: "l", value: "x" },
      { key: "l", value: "y" },
      { key: "off", value: "1", disabled: true },
    ];
    const { body, properties } = await bodyOf({ mode: "urlencoded", urlencoded });
    expect(body).toEqual({
      kind: "form",
      contentType: "application/x-www-form-urlencoded",
      members: [
        { argument: "a", name: "a" },
        { argument: "l", name: "l", style: "form", explode: true },
      ],
    });
    expect(properties).toMatchObject({ a: { description: "One." }, l: { type: "array" } });
  });

  it("of multipart forms with files take paths", async () => {
    const formdata = [
      { key: "note", value: "hi", type: "text", contentType: "text/markdown" },
      { key: "file", type: "file", src: "/tmp/x" },
      { key: "files", type: "file", src: ["/a", "/b"] },
    ];
    const { body, properties } = await bodyOf({ mode: "formdata", formdata });
    expect(body?.members).toEqual([
      { argument: "note", name: "note", contentType: "text/markdown" },
      { argument: "file", name: "file", isFile: true },
      { argument: "files", name: "files", isFile: true },
    ]);
    expect(properties).toMatchObject({
      file: { type: "string" },
      files: { type: "array", items: { type: "string" }, maxItems: 20 },
    });
  });

  it("of GraphQL have the query and its variables", async () => {
    const { body, tool } = await bodyOf({
      mode: "graphql",
      graphql: { query: "query($n: Int) { a }", variables: '{"n": 1}' },
    });
    expect(body).toMatchObject({ kind: "json", required: true, members: [{ name: "query" }, { name: "variables" }] });
    expect(tool.inputSchema).toMatchObject({
      required: ["query"],
      properties: { query: { default: "query($n: Int) { a }" }, variables: { properties: { n: { type: "number" } } } },
    });
    expect(tool.operation!.example).toEqual({ query: "query($n: Int) { a }", variables: { n: 1 } });
  });

  it.each([
    ['{ a(p: "canary\\"canary", n: 1) { b } }', '{ a(p: "***", n: 1) { b } }'],
    ['{ a(p: """can"ary\\"""canary""") }', '{ a(p: "***") }'],
    ["{ a } # canary\n", "{ a } \n"],
    ['{ a(p: "", q: "canary', '{ a(p: "***", q: "***"'],
  ])("of GraphQL show no strings and comments of the query: %s", async (query, shown) => {
    const { tool } = await bodyOf({ mode: "graphql", graphql: { query } });
    expect(tool.inputSchema).toMatchObject({ properties: { query: { default: shown } } });
    expect(JSON.stringify(tool)).not.toContain("canary");
  });

  it("in mode file take the path of the file", async () => {
    const { body, properties } = await bodyOf({ mode: "file", file: { src: "/tmp/x" } });
    expect(body).toEqual({ kind: "binary", contentType: "application/octet-stream", required: true, argument: "body" });
    expect(properties).toEqual({ body: { type: "string", description: "Path of the file to send." } });
  });

  it.each([
    [{ mode: "raw", raw: "" }],
    [{ mode: "none" }],
    [{ mode: "raw", raw: "{}", disabled: true }],
    [{ mode: "urlencoded" }],
  ])("that are empty are left out: %j", async (body) => {
    expect((await bodyOf(body)).body).toBeUndefined();
  });
});

it("reads error responses from the example responses", async () => {
  const { tools } = await convert([
    {
      name: "a",
      request: "https://x.test",
      response: [
        { name: "Not found", code: 404 },
        { name: "Fine", code: 200 },
      ],
    },
  ]);
  expect(tools[0]!.operation!.errors).toEqual({ 404: "Not found" });
});

it("reads a collection in the wrapper of Postman's API, and headers written as text", async () => {
  const collection = {
    info: { name: "x", schema: SCHEMA },
    item: [{ name: "a", request: { method: "post", url: "https://x.test", header: "X-A: 1\nHost: evil" } }],
  };
  const { tools } = await convertDocument(JSON.stringify({ collection }), { document: "/c.json", operations: [] });
  expect(tools[0]!.operation).toMatchObject({ method: "POST", parameters: [{ name: "X-A", in: "header" }] });
});
