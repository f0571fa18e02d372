import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/model/json.js";
import { stop } from "../rest/loopback.js";

/** Settings that a test may change at any time: token lifetimes, and how the server misbehaves. */
export interface AuthorizationSwitches {
  lifeSeconds: number | undefined;
  /** Whether refresh tokens are single-use. */
  rotates: boolean;
  /** The reaction to a reused refresh token: revoke all tokens of the sign-in, or reject the request. */
  onReuse: "revoke" | "refuse";
  /** The `iss` parameter of the authorization response. */
  iss: string | undefined;
  /** Changes the metadata. */
  metadata: (honest: JsonObject) => JsonObject;
  /** Answers in place of the server. */
  intercept: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** The documents at addresses that clients use as their ids. */
  documents: Map<string, { redirect_uris: string[] }>;
  /** Secrets of pre-registered clients. */
  clients: Map<string, { secret?: string; redirectUris: string[] }>;
  registers: boolean;
  /** Resolves before a refresh is processed; with false it fails. */
  beforeRefresh: () => Promise<boolean>;
}

export interface AuthRequest {
  readonly path: string;
  readonly method: string;
  readonly form: URLSearchParams;
  readonly json: JsonObject;
  readonly headers: IncomingMessage["headers"];
}

interface Family {
  readonly client: string;
  readonly audience: string | null;
  readonly scope: string;
  isRevoked: boolean;
  refreshToken: string;
}

interface Access {
  readonly family: Family;
  readonly until: number;
  isRevoked: boolean;
}

export interface AuthorizationServer {
  readonly origin: string;
  readonly issuer: string;
  readonly requests: readonly AuthRequest[];
  readonly switches: AuthorizationSwitches;
  /** Every secret that it has issued. */
  readonly secrets: readonly string[];
  refreshes(): number;
  /** Why a token is rejected; undefined if it is valid for that audience. */
  fault(token: string, audience: string): "invalid_token" | undefined;
  scopeOf(token: string): string;
  endAccessTokens(): void;
  endGrants(): void;
  /** Plays the user who accepts in the browser; returns the address of the redirect. */
  approve(address: string | URL): Promise<URL>;
  stop(): Promise<void>;
}

/** An OAuth 2.1 authorization server on loopback (RFC 8414, 7591, 7636, 8707, 9207, 7009), strict where clients must be. */
export async function startAuthorizationServer(
  changes: Partial<AuthorizationSwitches> = {},
): Promise<AuthorizationServer> {
  const requests: AuthRequest[] = [];
  const secrets: string[] = [];
  const codes = new Map<string, { family: Family; challenge: string; redirectUri: string }>();
  const accesses = new Map<string, Access>();
  const families = new Map<string, Family>();
  const switches: AuthorizationSwitches = {
    lifeSeconds: 3600,
    rotates: true,
    onReuse: "revoke",
    iss: undefined,
    metadata: (honest) => honest,
    intercept: undefined,
    documents: new Map(),
    clients: new Map(),
    registers: true,
    beforeRefresh: () => Promise.resolve(true),
    ...changes,
  };
  let refreshes = 0;

  const secret = (kind: string): string => {
    const made = `${kind}-${randomBytes(18).toString("hex")}`;
    secrets.push(made);
    return made;
  };
  const describe = (): JsonObject =>
    switches.metadata({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
      ...(switches.registers ? { registration_endpoint: `${origin}/register` } : {}),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true,
      ...(switches.iss === undefined ? {} : { authorization_response_iss_parameter_supported: true }),
    });

  const redirectsOf = (client: string): readonly string[] =>
    switches.clients.get(client)?.redirectUris ?? switches.documents.get(client)?.redirect_uris ?? [];

  /** Any loopback port is accepted (RFC 8252, 7.3). */
  const isRegistered = (client: string, redirectUri: string): boolean => {
    const portless = (url: string): string => url.replace(/^(http:\/\/127\.0\.0\.1):\d+/, "$1");
    return redirectsOf(client).some((known) => known === redirectUri || known === portless(redirectUri));
  };

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const [client, redirectUri] = [query.get("client_id") ?? "", query.get("redirect_uri") ?? ""];
    const isSound =
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256" &&
      query.get("code_challenge") !== null &&
      isRegistered(client, redirectUri);
    if (!isSound) return void response.writeHead(400).end("bad request");
    const back = new URL(redirectUri);
    const code = secret("code");
    const scope = query.get("scope") ?? "";
    const family = { client, audience: query.get("resource"), scope, isRevoked: false, refreshToken: "" };
    codes.set(code, { family, challenge: query.get("code_challenge") ?? "", redirectUri });
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    if (switches.iss !== undefined) back.searchParams.set("iss", switches.iss);
    response.writeHead(302, { location: back.href }).end();
  };

  const clientIn = ({ form, headers }: AuthRequest): string | undefined => {
    const [id, given] = headers.authorization?.startsWith("Basic ")
      ? Buffer.from(headers.authorization.slice(6), "base64")
          .toString()
          .split(":")
          .map((text) => decodeURIComponent(text.replaceAll("+", " ")))
      : [form.get("client_id"), form.get("client_secret") ?? undefined];
    if (!id || !(switches.clients.has(id) || switches.documents.has(id))) return undefined;
    return switches.clients.get(id)?.secret === given ? id : undefined;
  };

  const grant = (family: Family, response: ServerResponse): void => {
    const accessToken = secret("access");
    const { lifeSeconds } = switches;
    const until = lifeSeconds === undefined ? Infinity : Date.now() + lifeSeconds * 1000;
    accesses.set(accessToken, { family, until, isRevoked: false });
    if (family.refreshToken === "" || switches.rotates) {
      family.refreshToken = secret("refresh");
      families.set(family.refreshToken, family);
    }
    const tokens = {
      access_token: accessToken,
      token_type: "Bearer",
      ...(lifeSeconds === undefined ? {} : { expires_in: lifeSeconds }),
      refresh_token: family.refreshToken,
      ...(family.scope === "" ? {} : { scope: family.scope }),
    };
    reply(response, 200, tokens);
  };

  const token = async (request: AuthRequest, response: ServerResponse): Promise<void> => {
    const { form } = request;
    const client = clientIn(request);
    if (client === undefined) return reply(response, 401, { error: "invalid_client" });
    if (form.get("grant_type") === "authorization_code") {
      const known = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const isSound =
        known?.family.client === client &&
        known.challenge === challenge &&
        known.redirectUri === form.get("redirect_uri") &&
        known.family.audience === form.get("resource");
      return isSound ? grant(known.family, response) : reply(response, 400, { error: "invalid_grant" });
    }
    refreshes += 1;
    if (!(await switches.beforeRefresh())) return void response.destroy();
    const presented = form.get("refresh_token") ?? "";
    const family = families.get(presented);
    if (family === undefined || family.isRevoked || family.client !== client) {
      return reply(response, 400, { error: "invalid_grant" });
    }
    if (form.get("resource") !== family.audience) return reply(response, 400, { error: "invalid_target" });
    if (family.refreshToken !== presented) {
      // A reused refresh token indicates a theft by an unknown party (OAuth 2.1, 4.3.1).
      family.isRevoked = switches.onReuse === "revoke";
      return reply(response, 400, { error: "invalid_grant" });
    }
    grant(family, response);
  };

  const register = ({ json }: AuthRequest, response: ServerResponse): void => {
    const id = `client-${randomBytes(6).toString("hex")}`;
    const isPublic = json["token_endpoint_auth_method"] === "none";
    const own = isPublic ? {} : { secret: secret("client") };
    switches.clients.set(id, { ...own, redirectUris: json["redirect_uris"] as string[] });
    reply(response, 201, {
      ...json,
      client_id: id,
      ...(own.secret === undefined ? {} : { client_secret: own.secret }),
    });
  };

  const revoke = (request: AuthRequest, response: ServerResponse): void => {
    if (clientIn(request) === undefined) return reply(response, 401, { error: "invalid_client" });
    const given = request.form.get("token") ?? "";
    const family = families.get(given);
    if (family !== undefined) family.isRevoked = true;
    const access = accesses.get(given);
    if (access !== undefined) access.isRevoked = true;
    response.writeHead(200).end();
  };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(message.url ?? "", "http://any");
    const request = await toRequest(message, pathname);
    requests.push(request);
    if (switches.intercept?.(pathname, response) === true) return;
    if (pathname === "/.well-known/oauth-authorization-server") return reply(response, 200, describe());
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/token") return await token(request, response);
    if (pathname === "/register" && switches.registers) return register(request, response);
    if (pathname === "/revoke") return revoke(request, response);
    response.writeHead(404).end();
  };

  const server = createServer((message, response) => void answer(message, response));
  const origin = await listenOn(server);
  return {
    origin,
    issuer: origin,
    requests,
    switches,
    secrets,
    refreshes: () => refreshes,
    fault(given, audience) {
      const access = accesses.get(given);
      const isGood =
        access !== undefined &&
        !access.isRevoked &&
        !access.family.isRevoked &&
        Date.now() < access.until &&
        access.family.audience === audience;
      return isGood ? undefined : "invalid_token";
    },
    scopeOf: (given) => accesses.get(given)?.family.scope ?? "",
    endAccessTokens() {
      for (const access of accesses.values()) access.isRevoked = true;
    },
    endGrants() {
      for (const family of families.values()) family.isRevoked = true;
    },
    async approve(address) {
      const response = await fetch(address, { redirect: "manual" });
      return new URL(response.headers.get("location") ?? "");
    },
    stop: () => stop(server),
  };
}

export interface ProtectedServer {
  readonly url: string;
  readonly origin: string;
  /** The headers of all requests. */
  readonly received: IncomingMessage["headers"][];
  /** How many requests were rejected because of their token. */
  refusals(): number;
  /** Rejects requests only once this many have arrived. */
  holdRefusals(count: number): void;
  /** Changes its metadata. */
  description: (honest: JsonObject) => JsonObject;
  /** Changes its challenge, or sends none. */
  challenge: (honest: string) => string | undefined;
  stop(): Promise<void>;
}

/** An MCP server on loopback whose tools require a token of that authorization server: `whoami`, and `purge` with a scope. */
export async function startProtectedServer(
  authorization: Pick<AuthorizationServer, "issuer" | "fault" | "scopeOf">,
): Promise<ProtectedServer> {
  const received: IncomingMessage["headers"][] = [];
  const waiting: (() => void)[] = [];
  let refusals = 0;
  let held = 0;

  const refuse = async (response: ServerResponse, status: number, challenge: string): Promise<void> => {
    refusals += status === 401 ? 1 : 0;
    if (status === 401 && refusals < held) await new Promise<void>((resolve) => waiting.push(resolve));
    for (const resolve of waiting.splice(0)) resolve();
    const said = protectedServer.challenge(challenge);
    response.writeHead(status, said === undefined ? {} : { "www-authenticate": said }).end();
  };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(message.url ?? "", "http://any");
    const request = await toRequest(message, pathname);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      const honest = { resource: url, authorization_servers: [authorization.issuer] };
      return reply(response, 200, protectedServer.description(honest));
    }
    if (pathname !== "/mcp") return void response.writeHead(404).end();
    received.push(message.headers);
    const token = message.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (authorization.fault(token, url) !== undefined) return await refuse(response, 401, `Bearer ${metadata}`);
    const { id, method, params } = request.json as { id?: unknown; method?: string; params?: JsonObject };
    if (message.method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call" && params?.["name"] === "purge" && !authorization.scopeOf(token).includes("purge")) {
      const challenge = `Bearer error="insufficient_scope", scope="files:purge", ${metadata}`;
      return await refuse(response, 403, challenge);
    }
    reply(response, 200, { jsonrpc: "2.0", id, ...resultOf(method ?? "", params ?? {}) });
  };

  const server = createServer((message, response) => void answer(message, response));
  const origin = await listenOn(server);
  const url = `${origin}/mcp`;
  const protectedServer: ProtectedServer = {
    url,
    origin,
    received,
    refusals: () => refusals,
    holdRefusals(count) {
      held = refusals + count;
    },
    description: (honest) => honest,
    challenge: (honest) => honest,
    stop: () => stop(server),
  };
  return protectedServer;
}

function resultOf(method: string, params: JsonObject): JsonObject {
  const tool = (name: string): JsonObject => ({ name, inputSchema: { type: "object" } });
  if (method === "tools/list") return { result: { tools: [tool("whoami"), tool("purge")] } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: "let in" }] } };
  if (method === "initialize") {
    const serverInfo = { name: "protected", version: "1" };
    return { result: { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo } };
  }
  return { error: { code: -32_601, message: "Method not found" } };
}

async function listenOn(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function toRequest(message: IncomingMessage, path: string): Promise<AuthRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isForm = message.headers["content-type"]?.includes("form-urlencoded") ?? false;
  const json = isForm || text === "" ? {} : (JSON.parse(text) as JsonObject);
  return {
    path,
    method: message.method ?? "",
    form: new URLSearchParams(isForm ? text : ""),
    json,
    headers: message.headers,
  };
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
