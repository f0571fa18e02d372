import { once } from "node:events";
import { createServer as createTlsServer, type Server } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIssuer } from "../../../test/rest/certificate.js";
import { stop } from "../../../test/rest/loopback.js";
import { failure } from "../../../test/support/failure.js";
import type { JsonObject } from "../../model/json.js";
import { createAuthFetch } from "./auth-fetch.js";
import { beginLogin } from "./login.js";
import type { RemoteConnection } from "./settings.js";

const NEVER = new AbortController().signal;
const certificates = createIssuer();

/** A remote server with a host name. It is its own authorization server and returns whatever a test needs. */
let remote: Server;
let origin: string;
let canaryPort: number;
let canaryConnections = 0;
let challenge: string | undefined;
let resource: JsonObject;
let metadata: JsonObject;
const asked: string[] = [];
const canary = createTcpServer((socket) => {
  canaryConnections += 1;
  socket.destroy();
});

beforeAll(async () => {
  remote = createTlsServer(certificates.issue({ dns: ["mcp.example", "other.example"] }), (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (path.includes("protected-resource")) return json(response, resource);
    if (path.includes("authorization-server")) return json(response, metadata);
    if (path === "/redirects") return response.writeHead(302, { location: `http://127.0.0.1:${canaryPort}/` }).end();
    return response.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge }).end();
  });
  remote.listen(0, "127.0.0.1");
  canary.listen(0, "127.0.0.1");
  await Promise.all([once(remote, "listening"), once(canary, "listening")]);
  origin = `https://mcp.example:${(remote.address() as AddressInfo).port}`;
  canaryPort = (canary.address() as AddressInfo).port;
});
afterAll(async () => {
  await stop(remote);
  canary.close();
});

beforeEach(() => {
  challenge = undefined;
  asked.length = 0;
  canaryConnections = 0;
  resource = { resource: `${origin}/mcp`, authorization_servers: [origin] };
  metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
});

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const INSIDE: Record<string, string> = { "inner.example": "10.1.2.3", "rebound.example": "127.0.0.1" };

/** The configured host names resolve to this machine; all others resolve as a hostile DNS server answers. */
const lookup = (hostname: string) => Promise.resolve([{ address: INSIDE[hostname] ?? "127.0.0.1", family: 4 }]);

async function begin(url = `${origin}/mcp`) {
  const connection: RemoteConnection = { kind: "http", url, headers: {} };
  const guarded = createAuthFetch({ server: "remote", connection, lookup, ca: certificates.cert });
  try {
    const redirectUrl = "http://127.0.0.1:9/callback";
    return await beginLogin({ server: "remote", connection, guarded, redirectUrl, now: Date.now }, NEVER);
  } finally {
    guarded.close();
  }
}

const inward = (): string[] => {
  const at = `:${canaryPort}`;
  return [
    `http://127.0.0.1${at}`,
    `https://127.0.0.1${at}`,
    `https://localhost${at}`,
    `https://localhost.${at}`,
    `https://a.localhost${at}`,
    `https://2130706433${at}`,
    `https://0x7f000001${at}`,
    `https://0177.0.0.1${at}`,
    `https://127.1${at}`,
    `https://0.0.0.0${at}`,
    `https://[::1]${at}`,
    `https://[::]${at}`,
    `https://[::ffff:127.0.0.1]${at}`,
    `https://[64:ff9b::7f00:1]${at}`,
    `https://[2002:7f00:1::]${at}`,
    `https://[fec0::1]${at}`,
    `https://[fe80::1]${at}`,
    `https://[fc00::1]${at}`,
    "https://10.0.0.1",
    "https://172.16.0.1",
    "https://192.168.1.1",
    "https://100.64.0.1",
    "https://169.254.169.254",
    "http://169.254.169.254/latest/meta-data",
    `https://inner.example${at}`,
    `https://rebound.example${at}`,
    `https://user:pass@mcp.example${at}`,
    "http://mcp.example",
  ];
};
const OTHER_SCHEMES = [
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:text/html,x",
  "vscode://x",
  "ftp://a.example",
];
const SHELL = ["https://mcp.example/`id`", "not an address", ""];

describe("a URL of a private address, or one that is not a web URL", () => {
  it("is not requested as protected resource metadata", async () => {
    for (const address of inward()) {
      challenge = `Bearer resource_metadata="${address}"`;
      expect([address, (await failure(begin())).code]).toEqual([address, "SERVER_CONNECTION_ERROR"]);
    }
    expect(canaryConnections).toBe(0);
  });

  it("is not requested as an issuer", async () => {
    for (const address of [...inward(), ...OTHER_SCHEMES]) {
      resource = { resource: `${origin}/mcp`, authorization_servers: [address] };
      const { code } = await failure(begin());
      expect([address, ["SERVER_CONNECTION_ERROR", "UPSTREAM_UNAUTHORIZED"].includes(code)]).toEqual([address, true]);
    }
    expect(canaryConnections).toBe(0);
  });

  // Host names are resolved when they are requested, so these two are rejected at that point.
  const isName = (address: string): boolean => /inner|rebound/.test(address);

  it.each(["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"])(
    "is rejected as %s, and nothing is registered or opened",
    async (endpoint) => {
      const addresses = [...inward().filter((address) => !isName(address)), ...OTHER_SCHEMES, ...SHELL.slice(1)];
      for (const address of addresses) {
        metadata = { ...metadata, [endpoint]: address };
        expect([address, (await failure(begin())).code]).toEqual([address, "UPSTREAM_UNAUTHORIZED"]);
      }
      expect(asked).not.toContain("/register");
      expect(canaryConnections).toBe(0);
    },
  );

  it("is rejected when its name resolves to a private address", async () => {
    for (const address of inward().filter(isName)) {
      metadata = { ...metadata, registration_endpoint: `${address}/register` };
      expect([address, (await failure(begin())).message]).toEqual([
        address,
        expect.stringContaining("resolves to an address of this machine"),
      ]);
    }
    expect(canaryConnections).toBe(0);
  });
});

describe("a redirect", () => {
  it.each(["/redirects", "/.well-known/oauth-authorization-server"])("of %s is not followed", async (path) => {
    challenge = path === "/redirects" ? `Bearer resource_metadata="${origin}/redirects"` : undefined;
    if (challenge === undefined)
      resource = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/redirects`] };
    expect((await failure(begin())).code).toBe("UPSTREAM_UNAUTHORIZED");
    expect(canaryConnections).toBe(0);
  });
});

it("allows a server on this machine to have its authorization server there, but not at another private address", () => {
  const connection: RemoteConnection = { kind: "http", url: "http://localhost:1/mcp", headers: {} };
  const { whyRefused } = createAuthFetch({ server: "remote", connection });
  expect(whyRefused(new URL("http://127.0.0.1:2/token"))).toBeUndefined();
  expect(whyRefused(new URL("https://as.example/token"))).toBeUndefined();
  for (const address of ["http://10.0.0.1/", "http://169.254.169.254/", "http://as.example/", "file:///etc/passwd"]) {
    expect([address, whyRefused(new URL(address))]).toEqual([address, expect.any(String)]);
  }
});

it("allows a configured issuer at a private address", () => {
  const oauth = { issuer: "http://10.0.0.1/tenant" };
  const connection: RemoteConnection = { kind: "http", url: "https://mcp.example/mcp", headers: {}, oauth };
  const { whyRefused } = createAuthFetch({ server: "remote", connection });
  expect(whyRefused(new URL("http://10.0.0.1/token"))).toBeUndefined();
  expect(whyRefused(new URL("http://10.0.0.2/token"))).toBeDefined();
});

it("does not wait for the end of an event stream", async () => {
  const stream = createTlsServer(certificates.issue({ dns: ["mcp.example"] }), (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
  });
  stream.listen(0, "127.0.0.1");
  await once(stream, "listening");
  const url = `https://mcp.example:${(stream.address() as AddressInfo).port}/sse`;
  const guarded = createAuthFetch({
    server: "r",
    connection: { kind: "sse", url, headers: {} },
    lookup,
    ca: certificates.cert,
  });
  const response = await guarded.fetch(url);
  expect([response.status, await response.text()]).toEqual([200, ""]);
  guarded.close();
  await stop(stream);
});

it("limits the size of a response", async () => {
  const huge = createTlsServer(certificates.issue({ dns: ["mcp.example"] }), (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(Buffer.alloc(512 * 1024, 32));
  });
  huge.listen(0, "127.0.0.1");
  await once(huge, "listening");
  const url = `https://mcp.example:${(huge.address() as AddressInfo).port}/mcp`;
  expect((await failure(begin(url))).code).toBe("RESULT_TOO_LARGE");
  await stop(huge);
});
