import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { createIssuer } from "../../rest/certificate.js";

/** A public server that is its own authorization server and returns any address that it is configured with. */
export interface HostileWorld {
  /** Over https with a host name and a certificate of `ca`. */
  readonly origin: string;
  /** The same over plain http, for clients that cannot use another certificate authority. */
  readonly plain: string;
  readonly port: number;
  readonly ca: string;
  /** Replacements for the correct metadata. */
  says: Saying;
  readonly trap: Trap;
  stop(): void;
}

export interface Saying {
  readonly challenge?: string;
  readonly issuer?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly redirect?: string;
}

/** An internal address that must not be connected to. */
export interface Trap {
  readonly port: number;
  knocks(): number;
}

export async function openWorld(): Promise<HostileWorld> {
  const issuer = createIssuer();
  let knocks = 0;
  const trap = createTcpServer((socket) => {
    knocks += 1;
    socket.on("error", () => undefined).destroy();
  });
  trap.listen(0);
  const answer: RequestListener = (request, response) => {
    const own = "encrypted" in request.socket ? world.origin : world.plain;
    const { challenge, issuer: named = own, metadata = {}, redirect } = world.says;
    const path = request.url ?? "";
    if (redirect !== undefined && path === "/redirect") return response.writeHead(302, { location: redirect }).end();
    if (path.includes("protected-resource"))
      return json(response, { resource: `${own}/mcp`, authorization_servers: [named] });
    if (path.includes("authorization-server") || path.includes("openid-configuration"))
      return json(response, { ...toMetadata(own), ...metadata });
    return response.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge }).end();
  };
  const secure = createTlsServer(issuer.issue({ dns: ["mcp.example"] }), answer);
  const open = createServer(answer);
  for (const server of [secure, open]) server.listen(0, "127.0.0.1");
  await Promise.all([secure, open, trap].map((server) => once(server, "listening")));
  const world: HostileWorld = {
    origin: `https://mcp.example:${portOf(secure)}`,
    plain: `http://127.0.0.1:${portOf(open)}`,
    port: portOf(secure),
    ca: issuer.cert,
    says: {},
    trap: { port: portOf(trap), knocks: () => knocks },
    stop() {
      for (const server of [secure, open]) {
        server.close();
        server.closeAllConnections();
      }
      trap.close();
    },
  };
  return world;
}

function toMetadata(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    jwks_uri: `${origin}/jwks`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const portOf = (server: Pick<Server, "address">): number => (server.address() as AddressInfo).port;
