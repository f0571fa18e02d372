import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bank, createBank, openRest, type Rest, sendRaw } from "../../../test/support/rest.js";

const CREATE = "/api/adapters/bank/tools/create";
const LIMIT = 1024 * 1024;

let bank: Bank;
let rest: Rest;
beforeAll(async () => {
  bank = createBank();
  rest = await openRest({ servers: bank.servers });
});
afterAll(async () => {
  await rest.close();
  bank.remove();
});

const head = (...lines: string[]): string =>
  [`POST ${CREATE} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${rest.token}`, ...lines, "", ""].join("\r\n");
const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
const ofSize = (bytes: number): string => `{"name":"${"x".repeat(bytes - '{"name":""}'.length)}"}`;

describe("the Content-Type of a body", () => {
  it.each([
    undefined,
    "",
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json, text/plain",
    "application/jsonp",
    "text/plain; application/json",
    "application/vnd.api+json",
    "application/json; charset=utf-16",
    "application/csp-report",
  ])("is rejected if it is %j", async (type) => {
    const lines = [...(type === undefined ? [] : [`Content-Type: ${type}`]), "Content-Length: 14", "Connection: close"];
    const answer = await rest.raw(`${head(...lines)}{"name":"eve"}`);
    expect(statusOf(answer)).toBe(415);
    expect(answer.toLowerCase()).toContain("accept-post: application/json");
  });

  it.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ])("is accepted if it is %s", async (type) => {
    const { status } = await rest.post("/api/adapters/bank/tools/look", { name: "a" }, { "content-type": type });
    expect(status).toBe(200);
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));
});

describe("a body that is too large", () => {
  it("is rejected one byte above the limit, and accepted at the limit", async () => {
    expect(await rest.post(CREATE, ofSize(LIMIT + 1))).toMatchObject({ status: 413, json: { executed: "no" } });
    expect(bank.ledger()).toEqual([]);
    const atLimit = await rest.post("/api/adapters/bank/tools/look", ofSize(LIMIT));
    expect(atLimit.status).toBe(200);
  });

  it("is rejected by its Content-Length, without being read", async () => {
    const answer = await rest.raw(head("Content-Type: application/json", "Content-Length: 99999999999"));
    expect(statusOf(answer)).toBe(413);
  });

  it("is rejected if it is chunked and never ends", async () => {
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    const start = head("Content-Type: application/json", "Transfer-Encoding: chunked");
    const answer = await rest.raw(`${start}${chunk.repeat(64)}`);
    expect(statusOf(answer)).toBe(413);
  });

  it("is rejected before 100 Continue is sent", async () => {
    const lines = ["Content-Type: application/json", "Expect: 100-continue", "Connection: close"];
    const refused = await rest.raw(head(...lines, `Content-Length: ${LIMIT + 1}`));
    expect(statusOf(refused)).toBe(413);
    expect(refused).not.toContain("100 Continue");
    const taken = await rest.raw(`${head(...lines, "Content-Length: 2")}{}`);
    expect(taken).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });

  it.each(["gzip", "deflate", "br", "zstd", "identity, gzip", "x-gzip"])(
    "is rejected if it is compressed with %s",
    async (encoding) => {
      const packed = gzipSync('{"name":"eve"}');
      const lines = ["Content-Type: application/json", `Content-Encoding: ${encoding}`, "Connection: close"];
      const bytes = Buffer.concat([Buffer.from(head(...lines, `Content-Length: ${packed.length}`)), packed]);
      expect(statusOf(await sendRaw(rest.port, bytes))).toBe(415);
    },
  );

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));
});

describe("an ambiguous or invalid body", () => {
  it.each<[string, string, string | RegExp]>([
    ["has a duplicate member", '{"name":"a","name":"b"}', /^\/name /],
    ["has an unsafe integer", '{"name":"a","n":9007199254740993}', /^\/n /],
    ["has a number with too many digits", '{"name":"a","n":0.1234567890123456789}', /^\/n /],
    ["has a lone surrogate", '{"name":"\\ud800"}', /^\/name /],
    ["has the member __proto__", '{"__proto__":{"a":1},"name":"a"}', /^\/__proto__ /],
  ])("is rejected with a JSON Pointer and recorded if it %s", async (_, body, pointer) => {
    const { status, json } = await rest.post(CREATE, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "TOOL_VALIDATION_ERROR", executed: "no", request_id: expect.any(String) });
    expect(json["violations"]).toEqual([expect.stringMatching(pointer)]);
    const { persistence } = await rest.engine.stages();
    const entries = await persistence.store.audit.read({ after: 0, limit: 1000 });
    expect(JSON.stringify(entries)).toContain(String(json["request_id"]));
  });

  it.each<[string, string | Uint8Array]>([
    ["empty", ""],
    ["not JSON", "{name: 1}"],
    ["two JSON values", "{} {}"],
    ["an array", "[]"],
    ["a string with an object", '"{\\"name\\":\\"eve\\"}"'],
    ["null", "null"],
    ["nested too deeply", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("is rejected if it is %s", async (_, body) => {
    const bytes = Buffer.from(body);
    const lines = ["Content-Type: application/json", "Connection: close", `Content-Length: ${bytes.length}`];
    const answer = await sendRaw(rest.port, Buffer.concat([Buffer.from(head(...lines)), bytes]));
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"code":"INVALID_REQUEST"');
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));
});

it("rejects a GET with a body", async () => {
  const get = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
  expect(statusOf(await rest.raw(get))).toBe(400);
});

it("accepts a chunked body", async () => {
  const pieces = `6\r\n{"name\r\n9\r\n":"alice"\r\n1\r\n}\r\n0\r\n\r\n`;
  const lines = ["Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"];
  expect(statusOf(await rest.raw(`${head(...lines)}${pieces}`))).toBe(200);
  expect(bank.ledger()).toEqual(['create {"name":"alice"}']);
});
