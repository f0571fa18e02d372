import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../../test/support/gateway.js";
import { askModern, openMcpSession } from "../../../test/support/mcp-http.js";
import { type Bank, createBank, openRest, PATIENT, type Rest } from "../../../test/support/rest.js";
import { openEngine } from "../../engine.js";
import { type HttpOptions, httpOptions } from "./options.js";
import type { Route } from "./route.js";
import { ROUTES } from "./routes.js";
import { serveHttp } from "./serve-http.js";

const hashOf = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const AGENT = "agent".repeat(8);
const ADMIN = "admin".repeat(8);
const SEER = "seer-".repeat(8);
const PAGE = "https://app.example";
const tokens = (list: object[]): HttpOptions["tokens"] => httpOptions.parse({ tokens: list }).tokens;
const TOKENS = tokens([
  { name: "agent", hash: hashOf(AGENT), scopes: ["mail:read"] },
  { name: "admin", hash: hashOf(ADMIN), scopes: ["anygpt:*"] },
  { name: "seer", hash: hashOf(SEER), view: "office" },
]);

let bank: Bank;
let rest: Rest;
beforeAll(async () => {
  bank = createBank();
  rest = await openRest(
    {
      servers: { ...bank.servers, vault: { command: "no-such-program", tools: [{ name: "unlock" }] } },
      policy: { views: { office: { servers: ["bank"], tools: "look" }, lab: { tools: "create" } } },
    },
    { origins: [PAGE], tokens: TOKENS },
    {
      ...PATIENT,
      metrics: () => Promise.resolve("calls_total 7\n"),
    },
  );
});
afterAll(async () => {
  await rest.close();
  bank.remove();
});

describe("every path", () => {
  const fill = (path: string): string =>
    path.replace("{adapter}", "bank").replace("{tool}", "look").replace("{view}", "office");
  const open = ["/healthz", "/readyz"];
  const admin = ["/metrics"];
  const nothing = [
    "/",
    "/config",
    "/api/config",
    "/reload",
    "/api/reload",
    "/approve",
    "/api/approvals",
    "/audit",
    "/api/audit",
    "/debug",
    "/debug/pprof",
    "/api/tokens",
    "/mcp/",
    "/mcp/x",
    "/mcp/p",
    "/mcp/p/",
    "/mcp/p/office/x",
    "/mcp/gateway/x",
    "/.env",
    "/http.token",
    "//mcp",
  ];
  const routes = ROUTES.map(({ method, path }: Route) => [method, fill(path)] as const);
  const mounts = ["/mcp", "/mcp/gateway", "/mcp/p/office"].flatMap((path) =>
    (["GET", "POST", "DELETE"] as const).map((method) => [method, path] as const),
  );
  const all = [
    ...routes,
    ...mounts,
    ["GET", "/openapi.json"] as const,
    ...[...admin, ...nothing].flatMap((path) => [["GET", path] as const, ["POST", path] as const]),
  ];
  const bypass = {
    "x-forwarded-for": "127.0.0.1",
    "x-real-ip": "127.0.0.1",
    "x-original-url": "/healthz",
    "x-rewrite-url": "/healthz",
    "x-internal": "1",
    "x-http-method-override": "GET",
    forwarded: "for=127.0.0.1",
  };
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    rest.ask(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(method === "POST" ? { body: '{"name":"eve"}' } : {}),
    });

  it.each(all)("%s %s rejects an unauthenticated caller", async (method, path) => {
    for (const authorization of ["", "Bearer wrong", `Bearer ${hashOf(AGENT)}`, "Basic YTpi"]) {
      for (const more of [{}, bypass]) {
        const { status, json } = await ask(method, path, { authorization, ...more });
        const isOpen = open.includes(path) && method === "GET";
        expect([status, isOpen ? Object.keys(json) : json["code"]]).toEqual(
          isOpen ? [200, ["status"]] : [401, "UNAUTHORIZED"],
        );
      }
    }
  });

  it.each(admin)("%s requires its own scope", async (path) => {
    const low = await ask("GET", path, { authorization: `Bearer ${AGENT}` });
    expect([low.status, low.json["code"]]).toEqual([403, "SCOPE_REQUIRED"]);
    expect(low.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="anygpt:metrics"');
    for (const token of [ADMIN, rest.token]) {
      const response = await fetch(`${rest.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect([response.status, await response.text()]).toEqual([200, "calls_total 7\n"]);
    }
  });

  it.each(nothing)("%s does not exist for any caller", async (path) => {
    for (const token of [AGENT, ADMIN, rest.token]) {
      expect((await ask("GET", path, { authorization: `Bearer ${token}` })).status).toBe(404);
    }
  });

  it("is served to every authenticated caller", async () => {
    for (const token of [AGENT, ADMIN, rest.token]) {
      const headers = { authorization: `Bearer ${token}` };
      for (const path of ["/api/servers", "/api/adapters/bank/tools", "/api/search?q=account", "/openapi.json"]) {
        expect((await rest.ask(path, { headers })).status).toBe(200);
      }
      expect((await askModern({ url: rest.url, token }, "tools/list")).status).toBe(200);
    }
  });

  it("reveals no internal details in an error", async () => {
    const answers = await Promise.all([
      ask("GET", "/nothing", {}),
      ask("POST", "/mcp", {}),
      ask("POST", "/api/adapters/no/tools/no", {}),
      ask("GET", "/api/adapters/%zz", {}),
      ask("DELETE", "/mcp", { "mcp-session-id": "x" }),
    ]);
    for (const { status, headers, json } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify([json, [...headers]])).not.toMatch(
        /node_modules|\/work|\/home|\.[jt]s:\d+|hono|127\.0\.0|v20\./,
      );
    }
  });
});

describe("an endpoint", () => {
  const list = async (path: string, token: string) => {
    const { status, answer } = await askModern({ url: rest.url, token, path }, "tools/list");
    return { status, names: ((answer.result?.["tools"] ?? []) as { name: string }[]).map(({ name }) => name) };
  };

  it("for the profile gateway has the five tools of this profile in both eras", async () => {
    expect((await list("/mcp", AGENT)).names).toContain("execute_tool");
    const five = ["gateway.intent", "gateway.execute", "gateway.adapters", "gateway.tools", "gateway.reference"];
    expect((await list("/mcp/gateway", AGENT)).names.toSorted()).toEqual(five.toSorted());
    const session = await openMcpSession({ url: rest.url, token: AGENT, path: "/mcp/gateway" });
    expect(session.opening.answer.result?.["instructions"]).toContain("gateway.intent");
    const { answer } = await session.ask("tools/call", { name: "gateway.tools", arguments: { adapter: "bank" } });
    expect(answer.result?.content?.[0]?.text).toContain("bank:look");
  });

  it("for a view is available only to callers with this view or without a view", async () => {
    expect((await list("/mcp/p/office", SEER)).status).toBe(200);
    expect((await list("/mcp/p/office", AGENT)).status).toBe(200);
    expect((await list("/mcp", SEER)).status).toBe(200);
    const answers = await Promise.all([
      askModern({ url: rest.url, token: SEER, path: "/mcp/p/lab" }, "tools/list"),
      askModern({ url: rest.url, token: SEER, path: "/mcp/p/other" }, "tools/list"),
      askModern({ url: rest.url, token: AGENT, path: "/mcp/p/other" }, "tools/list"),
      askModern({ url: rest.url, token: AGENT, path: "/mcp/p/%2e%2e" }, "tools/list"),
      askModern({ url: rest.url, token: AGENT, path: "/mcp/nothing" }, "tools/list"),
    ]);
    const comparable = answers.map(({ status, answer }) => [status, { ...answer, request_id: "" }]);
    for (const one of comparable) expect(one).toEqual(comparable.at(-1));
    expect(comparable.at(-1)?.[0]).toBe(404);
  });
});

describe("a caller with a view", () => {
  it("cannot see tools outside the view through any surface", async () => {
    await rest.engine.known();
    const session = await openMcpSession({ url: rest.url, token: SEER });
    const headers = { authorization: `Bearer ${SEER}` };
    const answers = [
      session.opening.answer,
      (await session.ask("tools/call", { name: "search_tools", arguments: { query: "create an account" } })).answer,
      (await session.ask("tools/call", { name: "list_tools", arguments: { server: "bank" } })).answer,
      (await rest.ask("/api/search?q=create+an+account", { headers })).json,
      (await rest.ask("/api/adapters/bank/tools", { headers })).json,
      (await rest.ask("/api/servers", { headers })).json,
      (await rest.ask("/api/adapters/bank/tools/create", { headers })).status,
    ];
    expect(JSON.stringify(answers)).not.toMatch(/Creates|delete|"create"|vault|unlock/);
    expect(answers.at(-1)).toBe(404);
    const call = { name: "execute_tool", arguments: { server: "bank", tool: "create", arguments: { name: "eve" } } };
    expect(JSON.stringify((await session.ask("tools/call", call)).answer)).toContain("TOOL_NOT_FOUND");
    expect(bank.ledger()).toEqual([]);
  });
});

describe("other machines", () => {
  const opened: Rest[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;

  it.each([
    ["tokens", { tokens: TOKENS }],
    [
      "an authorization server",
      { oauth: httpOptions.parse({ oauth: { issuer: "https://id.example", audience: "x" } }).oauth },
    ],
  ])(
    "reach a gateway that authenticates callers by %s, which warns that the connection is not encrypted",
    async (_, more) => {
      const one = await openRest({}, { host: "0.0.0.0", ...(more as Partial<HttpOptions>) });
      opened.push(one);
      expect(one.logged.join("\n")).toContain("over an unencrypted connection");
      expect((await fetch(`http://127.0.0.1:${one.port}/healthz`)).status).toBe(200);
    },
  );

  it("reach the gateway only by the configured host names", async () => {
    const one = await openRest({}, { hosts: ["tools.example"], publicUrl: "https://gateway.example", tokens: TOKENS });
    opened.push(one);
    const statusAs = async (host: string) => {
      const answer = await one.raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    };
    for (const host of ["tools.example", "TOOLS.example:8443", "gateway.example", "localhost"])
      expect(await statusAs(host)).toBe(200);
    for (const host of ["evil.example", "x.tools.example", "tools.example.", "tools.example.evil"])
      expect(await statusAs(host)).toBe(403);
  });

  it("cannot use the token of this machine, directly or through a proxy on it", async () => {
    const one = await openRest(
      {},
      { host: "0.0.0.0", tokens: TOKENS, hosts: outside === undefined ? [] : [outside] },
      PATIENT,
    );
    opened.push(one);
    const ask = (host: string, token: string, headers = {}) =>
      fetch(`http://${host}:${one.port}/api/adapters`, { headers: { authorization: `Bearer ${token}`, ...headers } });
    expect((await ask("127.0.0.1", one.token)).status).toBe(200);
    expect((await ask("127.0.0.1", one.token, { "x-forwarded-for": "203.0.113.9" })).status).toBe(401);
    expect((await ask("127.0.0.1", AGENT, { "x-forwarded-for": "203.0.113.9" })).status).toBe(200);
    if (outside === undefined) return;
    expect((await ask(outside, one.token)).status).toBe(401);
    expect((await ask(outside, AGENT)).status).toBe(200);
  });
});

describe("invalid tokens", () => {
  it("are throttled after ten; callers with a valid token continue, also if it was not used before", async () => {
    const one = await openRest({}, { tokens: TOKENS });
    const ask = (token: string) => one.ask("/api/adapters", { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(AGENT)).status).toBe(200);
    const answers = [];
    for (let guess = 0; guess < 200; guess += 1) answers.push(await ask(`guess-${guess}`));
    const checked = answers.filter(({ status }) => status === 401).length;
    expect(checked).toBeLessThanOrEqual(14);
    const last = answers.findLast(({ status }) => status !== 401);
    expect([last?.status, last?.json["code"]]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await ask(AGENT)).status).toBe(200);
    expect((await ask(ADMIN)).status).toBe(200);
    expect((await one.ask("/healthz")).status).toBe(200);
    await one.close();
  });
});

describe("a token that is removed from the configuration", () => {
  it("is rejected after the next reload, even in a session that it opened", async () => {
    let list: object[] = [{ name: "agent", hash: hashOf(AGENT) }];
    const config = () => ({ servers: { echo: testServer("echo.mjs") }, http: { tokens: list } });
    const folder = mkdtempSync(join(tmpdir(), "anygpt-tokens-"));
    const file = join(folder, "config.json");
    const write = () => writeFileSync(file, JSON.stringify(config()));
    write();
    const env = { HOME: folder, PATH: process.env["PATH"] ?? "" };
    const engine = openEngine({ configPath: file, cwd: folder, env, stateFolder: join(folder, "state") });
    const stop = new AbortController();
    const { http } = (await engine.stages()).config;
    let served: Promise<void> = Promise.resolve();
    const url = await new Promise<string>((onListening, reject) => {
      served = serveHttp({ engine, options: { ...http, port: 0 }, onListening }, stop.signal);
      served.catch(reject);
    });
    const caller = { url, token: AGENT };
    const session = await openMcpSession(caller);
    expect((await session.ask("tools/list")).status).toBe(200);
    const stream = await session.request("GET");
    list = [{ name: "other", hash: hashOf(ADMIN) }];
    write();
    await engine.reload();
    // The stream ends without a request of any client.
    expect(await stream.text()).not.toContain("data:");
    expect((await session.ask("tools/list")).status).toBe(401);
    expect((await askModern({ url, token: ADMIN }, "tools/list")).status).toBe(200);
    stop.abort();
    await served;
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
