import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";

export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** An authorization server that publishes its keys and signs any token for a test. */
export interface Issuer {
  readonly url: string;
  /** How often each path was requested. */
  readonly asked: Map<string, number>;
  /** The published keys; may be changed. */
  readonly keys: JWK[];
  /** Replaces the answers for metadata and keys. */
  answer:
    | ((incoming: IncomingMessage) => { status: number; body: string; headers?: Record<string, string> } | undefined)
    | undefined;
  readonly pair: KeyPair;
  sign(
    claims: Record<string, unknown>,
    header?: Partial<JWTHeaderParameters>,
    key?: CryptoKey | Uint8Array,
  ): Promise<string>;
  publish(pair: KeyPair, kid: string, alg: string): Promise<void>;
  close(): Promise<void>;
}

export async function openIssuer(): Promise<Issuer> {
  const asked = new Map<string, number>();
  const keys: JWK[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const chosen = issuer.answer?.(incoming);
    const known: Record<string, object> = {
      "/.well-known/oauth-authorization-server": { issuer: url, jwks_uri: `${url}/jwks` },
      "/jwks": { keys },
    };
    const body = known[path];
    if (chosen !== undefined) outgoing.writeHead(chosen.status, chosen.headers).end(chosen.body);
    else if (body === undefined) outgoing.writeHead(404).end();
    else outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pair = await generateKeyPair("ES256", { extractable: true });
  const issuer: Issuer = {
    url,
    asked,
    keys,
    answer: undefined,
    pair,
    sign: (claims, header = {}, key = pair.privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "one", typ: "at+jwt", ...header }).sign(key),
    async publish({ publicKey }, kid, alg) {
      keys.push({ ...(await exportJWK(publicKey)), kid, alg, use: "sig" });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  await issuer.publish(pair, "one", "ES256");
  return issuer;
}
