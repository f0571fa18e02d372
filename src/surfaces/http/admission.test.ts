import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bank, createBank, openRest, PATIENT, type Rest, type RestReply } from "../../../test/support/rest.js";
import { describeRoutes } from "./openapi.js";
import type { Route } from "./route.js";
import { ROUTES } from "./routes.js";

const PAGE = "http://localhost:3000";
const CREATE = "/api/adapters/bank/tools/create";

let bank: Bank;
let rest: Rest;
beforeAll(async () => {
  bank = createBank();
  rest = await openRest({ servers: bank.servers }, { origins: [PAGE] }, PATIENT);
});
afterAll(async () => {
  await rest.close();
  bank.remove();
});

/** A raw HTTP request; `head` has further header lines. */
function call(
  head: readonly string[],
  { host = "localhost", version = "1.1", target = CREATE, connection = "close" } = {},
): string {
  const body = '{"name":"eve"}';
  const lines = [
    `POST ${target} HTTP/${version}`,
    ...(host === "" ? [] : [`Host: ${host}`]),
    `Authorization: Bearer ${rest.token}`,
    "Content-Type: application/json",
    `Connection: ${connection}`,
    ...(head.some((line) => /^(content-length|transfer-encoding)/i.test(line))
      ? []
      : [`Content-Length: ${body.length}`]),
    ...head,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);

describe("the header Origin", () => {
  it.each([
    "http://evil.example",
    "null",
    "",
    "http://localhost.evil.example:3000",
    "http://localhost:3000.evil.example",
    "http://127.0.0.1.nip.io:3000",
    "http://localhost:3001",
    "http://localhost",
    "https://localhost:3000",
    "http://user@localhost:3000",
    "http://localhost:3000/",
    "HTTP://LOCALHOST:3000",
    "http://[::1]:3000",
    "http://127.0.0.1:3000",
    "http://2130706433:3000",
    "http://localhost:3000, http://evil.example",
    "file://",
    "chrome-extension://abcdef",
  ])("rejects %j, which is not allowed", async (origin) => {
    const answer = await rest.raw(call([`Origin: ${origin}`]));
    expect(statusOf(answer)).toBe(403);
    expect(answer).toContain("application/problem+json");
    expect(answer.toLowerCase()).not.toContain("access-control-");
  });

  it("rejects a duplicate header, even if one of the values is allowed", async () => {
    expect(statusOf(await rest.raw(call([`Origin: ${PAGE}`, "Origin: http://evil.example"])))).toBe(400);
    expect(statusOf(await rest.raw(call([`Origin: ${PAGE}`, `Origin: ${PAGE}`])))).toBe(400);
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));
});

describe("the header Host", () => {
  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "evil.example:80",
    "localhost@evil.example",
    "localhost:80:80",
    "localhost.",
    "0.0.0.0",
    "127.0.0.2",
    "[::2]",
    "[::1]evil",
    "localhost/x",
    "2130706433",
  ])("rejects %j", async (host) => {
    expect([400, 403]).toContain(statusOf(await rest.raw(call([], { host }))));
  });

  it("is required, and must not occur twice", async () => {
    expect(statusOf(await rest.raw(call([], { host: "" })))).toBe(400);
    expect(statusOf(await rest.raw(call(["Host: evil.example"])))).toBe(400);
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));

  it.each(["localhost", "LocalHost", "127.0.0.1", "[::1]", "localhost:8080", "[::1]:7332"])(
    "accepts %s",
    async (host) => {
      expect(statusOf(await rest.raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))).toBe(200);
    },
  );
});

describe("a request that two parsers could read differently", () => {
  it.each<[string, readonly string[], object]>([
    ["has a Content-Length and is chunked", ["Content-Length: 14", "Transfer-Encoding: chunked"], {}],
    ["has two different Content-Lengths", ["Content-Length: 14", "Content-Length: 15"], {}],
    ["has a duplicate Content-Length", ["Content-Length: 14", "Content-Length: 14"], {}],
    ["has a Content-Length with a plus sign", ["Content-Length: +14"], {}],
    ["has a negative Content-Length", ["Content-Length: -14"], {}],
    ["has an unknown Transfer-Encoding", ["Transfer-Encoding: xchunked"], {}],
    [
      "has the Transfer-Encoding chunked and then identity",
      ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
      {},
    ],
    ["has a space before a colon", ["Transfer-Encoding : chunked"], {}],
    ["folds a header", ["X-Folded: a", " b"], {}],
    ["has a bare line feed", ["X-One: a\nX-Two: b"], {}],
    ["has a bare carriage return", ["X-One: a\rX-Two: b"], {}],
    ["has the character U+0000 in a header", ["X-One: a\0b"], {}],
    ["has two Authorization headers", ["Authorization: Bearer other"], {}],
    ["has two Content-Types", ["Content-Type: text/plain"], {}],
    ["has two Idempotency-Keys", ["Idempotency-Key: a", "Idempotency-Key: b"], {}],
    ["uses HTTP/1.0", [], { version: "1.0" }],
    ["uses HTTP/1.2", [], { version: "1.2" }],
    ["has the URL of another host as its target", [], { target: `http://evil.example${CREATE}` }],
    ["has a complete URL as its target", [], { target: `http://localhost${CREATE}` }],
  ])("is rejected and its connection closed if it %s", async (_, head, options) => {
    // The request itself asks to keep the connection open, which would then serve the next request.
    const alone = call(head, { ...options, connection: "keep-alive" });
    for (const text of [alone, `${alone}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`]) {
      const answer = await rest.raw(text);
      expect(statusOf(answer)).toBe(400);
      expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    }
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));

  it("is rejected if it has two transfer codings", async () => {
    const head = call(["Transfer-Encoding: gzip, chunked"], { connection: "keep-alive" }).split("\r\n\r\n")[0];
    const answer = await rest.raw(`${head}\r\n\r\ne\r\n{"name":"eve"}\r\n0\r\n\r\n`);
    expect(statusOf(answer)).toBe(400);
    expect(bank.ledger()).toEqual([]);
  });

  it.each<[string, readonly string[], object]>([
    ["has two transfer codings", ["Transfer-Encoding: gzip, chunked"], {}],
    [
      "has the Transfer-Encoding identity and then chunked",
      ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"],
      {},
    ],
    ["has two Authorization headers", ["Authorization: Bearer other", "Transfer-Encoding: chunked"], {}],
    ["uses HTTP/1.0", ["Content-Length: 0"], { version: "1.0" }],
  ])("does not run the next request on its connection if it %s", async (_, lines, options) => {
    const head = call(lines, { ...options, connection: "keep-alive" }).split("\r\n\r\n")[0];
    const end = lines.some((line) => line.startsWith("Transfer")) ? "0\r\n\r\n" : "";
    const answer = await rest.raw(`${head}\r\n\r\n${end}${call([])}`);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 400"]);
    // When this request is answered, everything that was sent before has arrived.
    expect((await rest.post("/api/adapters/bank/tools/look", { name: "a" })).status).toBe(200);
    expect(bank.ledger()).toEqual([]);
  });

  it("has its connection closed even if its URL cannot be parsed", async () => {
    const answer = await rest.raw(call(["Origin: a", "Origin: b"], { host: "a^b", connection: "keep-alive" }));
    expect(answer.toLowerCase()).toMatch(/^http\/1\.1 400 [^]*\nconnection: close\r\n/);
  });

  it.each([
    "*",
    "/api\\adapters/bank/tools/create",
    "\\",
    "//evil.example/x",
    "/%zz",
    "/../../etc/passwd",
    "/%2e%2e/x",
  ])("is rejected with the target %s", async (target) => {
    expect([400, 404]).toContain(statusOf(await rest.raw(call([], { target }))));
  });

  it("does not include pipelined requests: each gets its own answer, in order", async () => {
    const one = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const answer = await rest.raw(`${one("/healthz")}${one("/nowhere")}${one("/readyz", "Connection: close\r\n")}`);
    expect([...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1])).toEqual(["200", "401", "200"]);
  });

  it("is rejected if its headers are too large", async () => {
    const flood = Array.from({ length: 3000 }, (_, index) => `X-${index}: a`).join("\r\n");
    expect(statusOf(await rest.raw(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${flood}\r\n\r\n`))).toBe(431);
  });

  it("is checked with all its headers, even if there are thousands", async () => {
    const many = Array.from({ length: 2100 }, () => "A:").join("\r\n");
    const head = `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${many}\r\nOrigin: http://evil.example\r\nConnection: close`;
    expect(statusOf(await rest.raw(`${head}\r\n\r\n`))).toBe(403);
  });
});

describe("web pages", () => {
  const preflight = (headers: Record<string, string>): Promise<RestReply> =>
    rest.ask(CREATE, { method: "OPTIONS", headers: { authorization: "", ...headers } });
  const asks = { "access-control-request-method": "POST", "access-control-request-headers": "authorization,x-evil" };

  it("allows only the origin that the operator has configured", async () => {
    const allowed = await preflight({ origin: PAGE, ...asks });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(allowed.headers.get("vary")).toBe("Origin");
    expect(allowed.headers.get("access-control-allow-headers")).not.toContain("x-evil");
    expect(allowed.headers.get("access-control-allow-headers")).toContain("idempotency-key");
    expect(allowed.headers.has("access-control-allow-credentials")).toBe(false);
    const other = await preflight({ origin: "http://evil.example", ...asks });
    expect(other.status).toBe(403);
  });

  it("sends CORS headers with answers and errors to that origin only", async () => {
    for (const path of ["/healthz", "/api/nothing"]) {
      const { headers } = await rest.ask(path, { headers: { origin: PAGE } });
      expect(headers.get("access-control-allow-origin")).toBe(PAGE);
    }
    const { headers } = await rest.ask("/healthz");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("rejects every preflight request by default", async () => {
    const closed = await openRest();
    for (const origin of [PAGE, "null", closed.url]) {
      const reply = await closed.ask("/api/adapters", { method: "OPTIONS", headers: { origin, ...asks } });
      expect(reply.status).toBe(403);
      expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    const noPage = await closed.ask("/api/adapters", { method: "OPTIONS", headers: asks });
    expect(noPage.status).toBe(405);
    await closed.close();
  });
});

describe("a caller without a token", () => {
  const fill = ({ path }: Route): string => path.replace("{adapter}", "bank").replace("{tool}", "create");
  const all = [...ROUTES, describeRoutes(ROUTES)];
  const wrong: readonly [string, (token: string) => string | undefined][] = [
    ["no header", () => undefined],
    ["an empty header", () => ""],
    ["a token of the right length", (token) => `Bearer ${"x".repeat(token.length)}`],
    ["the token without its last character", (token) => `Bearer ${token.slice(0, -1)}`],
    ["the token with one more character", (token) => `Bearer ${token}x`],
    ["the token in upper case", (token) => `Bearer ${token.toUpperCase()}`],
    ["the token as a password", (token) => `Basic ${Buffer.from(`local:${token}`).toString("base64")}`],
    ["the token without a scheme", (token) => token],
    ["two tokens in one header", (token) => `Bearer ${token} ${token}`],
  ];

  it.each(all.filter(({ isOpen }) => !isOpen).map((route) => [route.method, route.path, route] as const))(
    "is rejected by %s %s with a challenge",
    async (method, _path, route) => {
      for (const [, authorization] of wrong) {
        const value = authorization(rest.token);
        const response = await fetch(`${rest.url}${fill(route)}?q=x`, {
          method,
          ...(method === "POST" ? { body: '{"name":"eve"}' } : {}),
          headers: { "content-type": "application/json", ...(value === undefined ? {} : { authorization: value }) },
        });
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer realm="anygpt"/);
        expect(await response.json()).toMatchObject({ code: "UNAUTHORIZED", status: 401, executed: "no" });
      }
    },
  );

  it.each(["/", "/api", "/config", "/reload", "/debug", "/metrics", "/api/approvals", "/mcp/x", "/api/audit"])(
    "cannot find out whether %s exists",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE", "PUT"]) {
        const { status } = await rest.ask(path, { method, headers: { authorization: "Bearer wrong" } });
        expect(status).toBe(401);
        expect((await rest.ask(path, { method })).status).toBe(404);
      }
    },
  );

  it("is not authenticated by a token in the URL, nor by headers that proxies set", async () => {
    const { token } = rest;
    const headers = { authorization: "", "x-forwarded-for": "127.0.0.1", "x-api-key": token, cookie: `token=${token}` };
    for (const query of [`token=${token}`, `access_token=${token}`]) {
      expect((await rest.ask(`/api/adapters?${query}`, { headers })).status).toBe(401);
    }
    expect(rest.logged.join("\n")).not.toContain(token);
  });

  it("gets only the status from the open paths", async () => {
    for (const [path, status] of [
      ["/healthz", "ok"],
      ["/readyz", "ready"],
    ] as const) {
      const { json } = await rest.ask(path, { headers: { authorization: "" } });
      expect(json).toEqual({ status });
    }
  });

  it("runs no tool", () => expect(bank.ledger()).toEqual([]));
});

it("sends no header that identifies the software", async () => {
  const { headers } = await rest.ask("/api/adapters");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  for (const name of ["server", "x-powered-by", "via"]) expect(headers.has(name)).toBe(false);
});
