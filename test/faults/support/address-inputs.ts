import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { createIssuerKeys } from "../../../src/surfaces/http/oauth/keys.js";
import { createForeignFetch } from "../../../src/upstreams/guarded-fetches.js";
import { createAuthFetch } from "../../../src/upstreams/oauth/auth-fetch.js";
import { beginLogin } from "../../../src/upstreams/oauth/login.js";
import { createGuardedFetch } from "../../../src/util/net/guarded-fetch.js";
import { open, toCall, toOperation } from "../../rest/session.js";
import type { HostileWorld } from "./hostile-world.js";

/** A place that accepts an address from outside the configuration; rejects if the address is rejected. */
export type Entry = (world: HostileWorld, address: string) => Promise<unknown>;

const LIMITS = { timeoutMs: 5_000, maxTotalMs: 5_000, maxBytes: 1_000_000 };
/** Requests of the official SDK to unreachable addresses are aborted after this time. */
const STOCK_MS = 500;

/** Public host names resolve to this machine, as the user configured them. */
const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);

/** Headers have no control characters, and non-ASCII letters byte by byte. */
const inHeader = (address: string): string => Buffer.from(address.trim().replaceAll(/[\t\n]/g, "")).toString("latin1");

async function signIn({ origin, ca }: HostileWorld): Promise<unknown> {
  const connection = { kind: "http", url: `${origin}/mcp`, headers: {} } as const;
  const guarded = createAuthFetch({ server: "remote", connection, lookup, ca });
  const redirectUrl = "http://127.0.0.1:9/callback";
  try {
    const parts = { server: "remote", connection, guarded, redirectUrl, now: Date.now };
    return await beginLogin(parts, new AbortController().signal);
  } finally {
    guarded.close();
  }
}

const endpoint =
  (name: string): Entry =>
  (world, address) => {
    world.says = { metadata: { [name]: address } };
    return signIn(world);
  };

export const ENTRIES: Readonly<Record<string, Entry>> = {
  async "an address of an agent"(_, address) {
    const foreign = createForeignFetch({ server: "remote", maxMessageBytes: LIMITS.maxBytes });
    try {
      return await foreign.fetch(address);
    } finally {
      foreign.close();
    }
  },
  resource_metadata(world, address) {
    world.says = { challenge: `Bearer resource_metadata="${inHeader(address)}"` };
    return signIn(world);
  },
  authorization_servers(world, address) {
    world.says = { issuer: address };
    return signIn(world);
  },
  authorization_endpoint: endpoint("authorization_endpoint"),
  token_endpoint: endpoint("token_endpoint"),
  registration_endpoint: endpoint("registration_endpoint"),
  revocation_endpoint: endpoint("revocation_endpoint"),
  async jwks_uri(world, address) {
    world.says = { metadata: { jwks_uri: address } };
    const keys = createIssuerKeys({ options: { issuer: world.origin }, elapsed: () => 0, lookup, ca: world.ca });
    try {
      return await keys.find({ alg: "RS256", kid: "1" }, { payload: "", signature: "" });
    } finally {
      keys.close();
    }
  },
  async "servers of a document"(_, address) {
    const folder = mkdtempSync(join(tmpdir(), "internal-"));
    const document = join(folder, "api.json");
    writeFileSync(document, "{}");
    const convert = () => Promise.resolve({ tools: [], dropped: [], truncated: false, baseUrl: address });
    const session = await open({ document }, { convert });
    try {
      return await session.callTool(toCall(toOperation()));
    } finally {
      await session.close();
      rmSync(folder, { recursive: true });
    }
  },
  async "a redirect"(world, address) {
    world.says = { redirect: inHeader(address) };
    const guarded = createGuardedFetch({ server: "api", allowInternal: [world.origin], lookup, ca: world.ca });
    try {
      const url = new URL("/redirect", world.origin);
      return await guarded.fetch({ url, method: "GET", headers: {}, redirect: "follow", ...LIMITS });
    } finally {
      guarded.close();
    }
  },
};

/** What a client of the official SDK does with the same address. */
export const STOCK: Readonly<Record<string, Entry>> = {
  resource_metadata(world, address) {
    const resourceMetadataUrl = new URL(address);
    world.says = {};
    return stockSignIn(world, { resourceMetadataUrl });
  },
  authorization_servers(world, address) {
    world.says = { issuer: address };
    return stockSignIn(world, {});
  },
  registration_endpoint(world, address) {
    world.says = { metadata: { registration_endpoint: address } };
    return stockSignIn(world, {});
  },
  "a redirect"(world, address) {
    world.says = { redirect: inHeader(address) };
    return stockSignIn(world, { resourceMetadataUrl: new URL("/redirect", world.plain) });
  },
};

function stockSignIn({ plain }: HostileWorld, more: { readonly resourceMetadataUrl?: URL }): Promise<unknown> {
  const provider: OAuthClientProvider = {
    redirectUrl: "http://127.0.0.1:9/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1:9/callback"] },
    clientInformation: () => undefined,
    saveClientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "x",
  };
  const fetchFn = (url: string | URL, init?: RequestInit): Promise<Response> =>
    fetch(url, { ...init, signal: AbortSignal.timeout(STOCK_MS) });
  return auth(provider, { serverUrl: `${plain}/mcp`, fetchFn, ...more });
}
