import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConvertedDocument, convertDocument } from "../../src/adapters/convert-document.js";
import { compileCheck } from "../../src/executor/check-value.js";
import type { JsonObject } from "../../src/model/json.js";
import type { RestBody, RestOperation, RestParameter } from "../../src/model/operation.js";
import type { UpstreamSession } from "../../src/upstreams/session.js";
import { type Loopback, listen, type Received } from "../rest/loopback.js";
import { open, toCall } from "../rest/session.js";
import {
  type Pair,
  type Part,
  type PostmanBody,
  type PostmanRequest,
  postmanRequests,
} from "./postman/postman-requests.js";

const FOLDER = fileURLToPath(new URL("postman", import.meta.url));
const TEXT = readFileSync(join(FOLDER, "collection.json"), "utf8");
const ENVIRONMENT = { trace: "t-1", since: "2020-01-31", shelfId: "s 9", bookId: "b7", token: "t", libraryKey: "k" };
const TOKEN = "token-of-the-connection";

const NAMES = (JSON.parse(TEXT) as { item: JsonObject[] }).item.flatMap(function names(item): string[] {
  return Array.isArray(item["item"]) ? (item["item"] as JsonObject[]).flatMap(names) : [String(item["name"])];
});

let api: Loopback;
let session: UpstreamSession;
let converted: ConvertedDocument;
let requests: PostmanRequest[];

beforeAll(async () => {
  api = await listen();
  const text = TEXT.replace("api.example.com", `127.0.0.1:${api.port}`);
  converted = await convertDocument(text, { document: "/nowhere/collection.json", operations: [] });
  requests = postmanRequests(JSON.parse(text) as JsonObject, ENVIRONMENT);
  session = await open({
    ...(converted.baseUrl === undefined ? {} : { baseUrl: converted.baseUrl }),
    auth: { kind: "bearer", token: TOKEN },
    uploads: [FOLDER],
  });
});

afterAll(async () => {
  await session.close();
  await api.stop();
});

describe("a collection with folders, variables, all bodies and inherited authentication", () => {
  it("becomes one tool for each request, each with a unique name", () => {
    expect(converted).toMatchObject({ format: "Postman collection", dropped: [], truncated: false });
    expect(requests.map(({ name }) => name)).toEqual(NAMES);
    expect(converted.tools.map(({ title }) => title)).toEqual(NAMES);
    expect(new Set(converted.tools.map(({ name }) => name)).size).toBe(NAMES.length);
  });

  it("requires the authentication methods that Postman would use, the most frequent first", () => {
    const used = requests.flatMap(({ auth }) => (auth === undefined || auth === "noauth" ? [] : [auth]));
    const count = (way: string): number => used.filter((each) => each === way).length;
    const ways = [...new Set(used)].sort((left, right) => count(right) - count(left));
    expect(ways).toEqual(["bearer", "apikey", "basic"]);
    expect(converted.auth.map(({ kind }) => kind.replace("-", ""))).toEqual(ways);
    expect(converted.auth[1]).toEqual({ kind: "api-key", in: "header", name: "X-Library-Key" });
  });

  // By design, fixed values in the query, headers and body become optional arguments: the collection's values are given here.
  // Credentials come from the connection: the collection only decides whether a request is authenticated.
  it.each(NAMES.map((name, index) => ({ name, index })))("sends $name ($index) as Postman does", async ({ index }) => {
    const request = requests[index]!;
    const { operation, inputSchema } = converted.tools[index]!;
    const values = toArguments(operation!, request);
    expect(compileCheck(inputSchema)(values)).toEqual([]);

    api.received.length = 0;
    await session.callTool(toCall(operation!, values));

    expect(api.received).toHaveLength(1);
    const [received] = api.received;
    const url = new URL(received!.url, api.origin);
    expect(received!.method).toBe(request.method);
    expect(url.pathname).toBe(request.path);
    expect([...url.searchParams]).toEqual(request.query);
    for (const [name, value] of request.headers) expect.soft(received!.headers[name.toLowerCase()], name).toBe(value);
    expect(received!.headers).not.toHaveProperty("x-off");
    expect(received!.headers["authorization"]).toBe(request.auth === "noauth" ? undefined : `Bearer ${TOKEN}`);
    expect(await arrivedBody(received!)).toEqual(expectedBody(request));
  });
});

function toArguments({ parameters, body }: RestOperation, request: PostmanRequest): JsonObject {
  const given = parameters.map(({ argument, in: place, name }) => [argument, valueOf(place, name, request)]);
  return { ...Object.fromEntries(given), ...(body === undefined ? {} : bodyArguments(body, request.body)) };
}

function valueOf(place: RestParameter["in"], name: string, request: PostmanRequest): unknown {
  if (place === "path") return request.pathValues[name] ?? (ENVIRONMENT as Record<string, string>)[name];
  return oneOrMany(place === "query" ? request.query : request.headers, name);
}

function oneOrMany(pairs: readonly Pair[], name: string): unknown {
  const values = pairs.filter(([key]) => key === name).map(([, value]) => value);
  return values.length > 1 ? values : values[0];
}

function bodyArguments({ argument, members }: RestBody, body: PostmanBody | undefined): JsonObject {
  const whole = wholeValue(body);
  if (argument !== undefined) return { [argument]: whole };
  return Object.fromEntries((members ?? []).map((member) => [member.argument, (whole as JsonObject)[member.name]]));
}

function wholeValue(body: PostmanBody | undefined): unknown {
  switch (body?.kind) {
    case "text":
      return isJson(body) ? (JSON.parse(body.text) as unknown) : body.text;
    case "fields":
      return Object.fromEntries(body.fields.map(([name]) => [name, oneOrMany(body.fields, name)]));
    case "parts":
      return Object.fromEntries(body.parts.map(({ name, value }) => [name, value]));
    case "graphql":
      return body.members;
    case "file":
      return body.file;
    case undefined:
      return undefined;
  }
}

function isJson({ text, language }: Extract<PostmanBody, { kind: "text" }>): boolean {
  return language === "json" || text.startsWith("{");
}

interface BodyOnTheWire {
  readonly type: string | undefined;
  readonly content: unknown;
}

const TYPES = {
  fields: "application/x-www-form-urlencoded",
  parts: "multipart/form-data",
  graphql: "application/json",
  file: "application/octet-stream",
};

/** A content type among the request's headers has priority. */
function expectedBody({ body, headers }: PostmanRequest): BodyOnTheWire {
  const [, said] = headers.find(([name]) => name === "Content-Type") ?? [];
  const isText = body?.kind === "text";
  const own =
    body === undefined ? undefined : isText ? (isJson(body) ? "application/json" : "text/plain") : TYPES[body.kind];
  return { type: said ?? own, content: expectedContent(body) };
}

function expectedContent(body: PostmanBody | undefined): unknown {
  switch (body?.kind) {
    case "fields":
      return body.fields;
    case "parts":
      return body.parts.map(sentPart);
    case "file":
      return readFileSync(join(FOLDER, body.file), "utf8");
    case undefined:
      return "";
    case "text":
    case "graphql":
      return wholeValue(body);
  }
}

async function arrivedBody({ body, headers }: Received): Promise<BodyOnTheWire> {
  const whole = headers["content-type"];
  const type = typeof whole === "string" ? whole.split(";")[0] : undefined;
  const text = body.toString();
  if (type === TYPES.fields) return { type, content: [...new URLSearchParams(text)] };
  if (type === TYPES.parts) return { type, content: await partsOf(body, String(whole)) };
  return { type, content: /[/+]json$/.test(String(type)) ? (JSON.parse(text) as unknown) : text };
}

function sentPart({ name, value, isFile }: Part): unknown {
  return isFile ? { name, file: value, text: readFileSync(join(FOLDER, value), "utf8") } : { name, text: value };
}

async function partsOf(body: Buffer, type: string): Promise<unknown[]> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === "string" ? { name, text: value } : { name, file: value.name, text: await value.text() },
    ),
  );
}
