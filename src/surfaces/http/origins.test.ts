import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, postMcp } from "../../../test/support/mcp-http.js";
import { type Bank, createBank, openRest, PATIENT, type Rest } from "../../../test/support/rest.js";
import { type HttpOptions, httpOptions } from "./options.js";

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

const CALL = modern("tools/call", {
  name: "execute_tool",
  arguments: { server: "bank", tool: "create", arguments: { name: "eve" } },
});

function raw(lines: readonly string[]): string {
  const body = JSON.stringify(CALL.body);
  return [
    "POST /mcp HTTP/1.1",
    `Authorization: Bearer ${rest.token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "Connection: close",
    ...Object.entries(CALL.headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...lines,
    "",
    body,
  ].join("\r\n");
}

describe("origins that are not allowed", () => {
  const hosts = ["app.example", "localhost", "127.0.0.1", "[::1]", "0.0.0.0", "app.example.evil.example"];
  const made = hosts.flatMap((host) => [
    `http://${host}`,
    `http://${host}:80`,
    `https://${host}:8443`,
    `https://x.${host.replace(/[[\]]/g, "")}`,
    `https://user@${host}`,
    `ws://${host}`,
  ]);
  const odd = [
    "null",
    "",
    "*",
    "https://APP.example",
    "HTTPS://app.example",
    "https://app.example/",
    "https://app.example:443",

    "https://app.example#",
    "https://app.example?",
    "https://app.example https://evil.example",
    "https://app.example,https://app.example",

    "app.example",
    "//app.example",
    "https:app.example",
    "https:///app.example",
    "https://app.example.",
    "https://app%2eexample",

    "https://app.example\\@evil.example",
    "https://evil.example/https://app.example",
    "file://",
    "data:",
    "about:blank",
    "chrome-extension://abcdefgh",
    "moz-extension://abc",
    "https://xn--pp-example",
    "https://127.0.0.1.nip.io",
  ];
  const all = [...made, ...odd];

  it("are at least 60", () => expect(all.length).toBeGreaterThanOrEqual(60));

  it.each(all)("%j gets 403, and no tool runs", async (origin) => {
    const answer = await rest.raw(raw(["Host: localhost", `Origin: ${origin}`]));
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer.toLowerCase()).not.toContain("access-control-");
    expect(bank.ledger()).toEqual([]);
  });

  it("two Origin headers get 400, even if one is allowed", async () => {
    expect(await rest.raw(raw(["Host: localhost", `Origin: ${PAGE}`, "Origin: https://evil.example"]))).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });
});

describe("an allowed origin", () => {
  const preflight = (headers: Record<string, string>) =>
    rest.ask("/mcp", { method: "OPTIONS", headers: { "access-control-request-method": "POST", ...headers } });

  it("may send the headers of MCP clients and read the session id", async () => {
    const { status, headers } = await preflight({ origin: PAGE, "access-control-request-headers": "mcp-session-id" });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(headers.get("access-control-allow-credentials")).toBe(null);
    expect(headers.get("access-control-allow-private-network")).toBe(null);
    expect(headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE");
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    for (const name of [
      "authorization",
      "content-type",
      "mcp-session-id",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "last-event-id",
    ]) {
      expect(allowed).toContain(name);
    }
    const { headers: exposed } = await postMcp(rest, INITIALIZE, { origin: PAGE });
    expect(exposed.get("access-control-expose-headers")).toContain("mcp-session-id");
    expect(exposed.get("access-control-allow-origin")).toBe(PAGE);
    expect(exposed.get("vary")).toBe("Origin");
    expect((await preflight({ origin: "https://evil.example" })).status).toBe(403);
  });
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
