import { createHash, generateKeyPairSync } from "node:crypto";
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../../../../test/support/gateway.js";
import { type Issuer, openIssuer } from "../../../../test/support/issuer.js";
import { askModern } from "../../../../test/support/mcp-http.js";
import { openRest, PATIENT, type Rest } from "../../../../test/support/rest.js";
import { oauthOptions } from "./options.js";
import { toActorId } from "./verify.js";

const AUDIENCE = "https://gateway.example/mcp";
const now = (): number => Math.floor(Date.now() / 1000);

let issuer: Issuer;
let rest: Rest;
const opened: Rest[] = [];
const open = async (oauth: object = {}, more: object = {}): Promise<Rest> => {
  const options = oauthOptions.parse({ issuer: issuer.url, audience: AUDIENCE, ...oauth });
  const config = {
    servers: { echo: testServer("echo.mjs") },
    policy: { scopes: [{ tools: "add", required_scopes: ["math:add"] }] },
  };
  const one = await openRest(config, { oauth: options, ...more }, PATIENT);
  opened.push(one);
  return one;
};
beforeAll(async () => {
  issuer = await openIssuer();
  rest = await open();
});
beforeEach(() => {
  issuer.answer = undefined;
});
afterAll(async () => {
  for (const one of opened) await one.close();
  await issuer.close();
});

const claims = (more: Record<string, unknown> = {}) => ({
  iss: issuer.url,
  aud: AUDIENCE,
  sub: "ann",
  iat: now(),
  exp: now() + 300,
  ...more,
});
const ask = (token: string, path = "/api/adapters", at = rest) =>
  at.ask(path, { headers: { authorization: `Bearer ${token}` } });

describe("a token of the issuer", () => {
  it.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT", undefined])("is accepted with the type %s", async (typ) => {
    const token = await issuer.sign(claims(), typ === undefined ? { typ: undefined as never } : { typ });
    expect((await ask(token)).status).toBe(200);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ["for several audiences", () => ({ aud: ["https://other.example", AUDIENCE] })],
    ["that expired 30 seconds ago", () => ({ exp: now() - 30 })],
    ["that is valid from 30 seconds on", () => ({ nbf: now() + 30 })],
    ["with unknown claims", () => ({ "https://a.example/x": { deep: [1] } })],
  ])("is accepted: one %s", async (_, more) => expect((await ask(await issuer.sign(claims(more())))).status).toBe(200));

  it.each(["RS256", "PS256", "EdDSA"])("is accepted if it is signed with %s", async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const own = await openIssuer();
    await own.publish(pair, alg, alg);
    const at = await open({ issuer: own.url });
    const token = await own.sign({ ...claims(), iss: own.url }, { alg, kid: alg }, pair.privateKey);
    expect((await ask(token, "/api/adapters", at)).status).toBe(200);
    await own.close();
  });

  it("determines the actor in the audit log and the scopes for the policy", async () => {
    const call = (token: string) =>
      rest.ask("/api/adapters/echo/tools/add", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"a":1,"b":2}',
      });
    const refused = await call(await issuer.sign(claims()));
    expect(refused).toMatchObject({ status: 403, json: { code: "SCOPE_REQUIRED", missing_scopes: ["math:add"] } });
    expect(refused.headers.get("www-authenticate")).toMatch(
      /^Bearer realm="anygpt", error="insufficient_scope", scope="math:add", resource_metadata="http:/,
    );
    expect((await call(await issuer.sign(claims({ scope: "x math:add" })))).json["result"]).toEqual({ sum: 3 });
    const { persistence } = await rest.engine.known();
    const bodies = (await persistence.store.audit.read({ after: 0, limit: 100 })).map(({ body }) => body).join();
    expect(bodies).toContain(`"actor_id":"${toActorId(issuer.url, "ann")}"`);
  });

  it("is accepted by MCP", async () => {
    const token = await issuer.sign(claims());
    expect((await askModern({ url: rest.url, token }, "tools/list")).answer.result?.["tools"]).toHaveLength(5);
  });
});

describe("invalid tokens", () => {
  const other = "https://evil.example";
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claimed: readonly [string, () => Record<string, unknown>][] = [
    ["for another audience", () => ({ aud: other })],
    ["without an audience", () => ({ aud: undefined })],
    ["with an empty list of audiences", () => ({ aud: [] })],
    ["for a prefix of the audience", () => ({ aud: "https://gateway.example" })],
    ["for the audience with a slash", () => ({ aud: `${AUDIENCE}/` })],
    ["for the audience in upper case", () => ({ aud: AUDIENCE.toUpperCase() })],
    ["with a number as audience", () => ({ aud: 7 })],
    ["with null as audience", () => ({ aud: null })],
    ["of another issuer", () => ({ iss: other })],
    ["without an issuer", () => ({ iss: undefined })],
    ["of the issuer with a slash", () => ({ iss: `${issuer.url}/` })],
    ["of several issuers", () => ({ iss: [issuer.url] })],
    ["that has expired", () => ({ exp: now() - 61 })],
    ["that expired long ago", () => ({ exp: 1 })],
    ["without an expiry", () => ({ exp: undefined })],
    ["with a string as expiry", () => ({ exp: String(now() + 300) })],
    ["with null as expiry", () => ({ exp: null })],
    ["that is not valid yet", () => ({ nbf: now() + 90 })],
    ["with a string as nbf", () => ({ nbf: "now" })],
    ["without a subject", () => ({ sub: undefined })],
    ["with an empty subject", () => ({ sub: "" })],
    ["with a number as subject", () => ({ sub: 7 })],
    ["with an array as subject", () => ({ sub: ["ann"] })],
    ["with a subject that is too long", () => ({ sub: "x".repeat(2000) })],
  ];
  const headed: readonly [string, Record<string, unknown>][] = [
    ["of another type", { typ: "logout+jwt" }],
    ["of the type of ID tokens", { typ: "id_token+jwt" }],
    ["of the type of DPoP proofs", { typ: "dpop+jwt" }],
    ["of the type JWE", { typ: "JWE" }],
    ["with an unknown key id", { kid: "two" }],
    ["with a path as key id", { kid: "../../../../dev/null" }],
    ["with SQL as key id", { kid: "one' UNION SELECT 'x" }],
    ["with a URL as key id", { kid: "http://evil.example/jwks" }],
    ["with a number as key id", { kid: 1 }],
    ["with an unknown critical header", { crit: ["x"], x: 1 }],
    ["with an unencoded payload", { b64: false, crit: ["b64"] }],
  ];

  const cases: readonly [string, () => Promise<string>][] = [
    ...claimed.map(([name, more]): [string, () => Promise<string>] => [name, () => issuer.sign(claims(more()))]),
    ...headed.map(([name, more]): [string, () => Promise<string>] => [
      name,
      () => handSigned({ alg: "ES256", kid: "one", typ: "at+jwt", ...more }),
    ]),
    ["with the algorithm none", () => Promise.resolve(new UnsecuredJWT(claims()).encode())],
    ["with the algorithm NONE", () => Promise.resolve(`${part({ alg: "NONE" })}.${part(claims())}.`)],
    [
      "with the algorithm none and a signature",
      () => Promise.resolve(`${part({ alg: "none" })}.${part(claims())}.AAAA`),
    ],
    ["without an algorithm", () => Promise.resolve(`${part({ typ: "JWT" })}.${part(claims())}.AAAA`)],
    ["with an empty signature", async () => `${(await issuer.sign(claims())).split(".").slice(0, 2).join(".")}.`],
    ["with a truncated signature", async () => (await issuer.sign(claims())).slice(0, -4)],
    [
      "with a signature of zeros",
      async () => `${(await issuer.sign(claims())).split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`,
    ],
    [
      "with changed claims",
      async () => {
        const [head, , tail] = (await issuer.sign(claims())).split(".");
        return `${head}.${part(claims({ sub: "root" }))}.${tail}`;
      },
    ],
    [
      "with a changed header",
      async () => {
        const [, body, tail] = (await issuer.sign(claims())).split(".");
        return `${part({ alg: "ES256", kid: "one", typ: "JWT" })}.${body}.${tail}`;
      },
    ],
    [
      "signed with another key under the same key id",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return await issuer.sign(claims(), {}, privateKey);
      },
    ],
    [
      "with its own key in the header",
      async () => {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        return await new SignJWT(claims())
          .setProtectedHeader({ alg: "ES256", kid: "one", jwk: publicKey.export({ format: "jwk" }) })
          .sign(privateKey);
      },
    ],
    [
      "with its own key URL in the header",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return await issuer.sign(claims(), { jku: `${issuer.url}/evil`, x5u: `${issuer.url}/evil` }, privateKey);
      },
    ],
    ...["HS256", "HS384", "HS512"].map((alg): [string, () => Promise<string>] => [
      `signed with ${alg} and the public key as the secret`,
      async () => {
        const secret = new TextEncoder().encode(await exportSPKI(issuer.pair.publicKey));
        return await issuer.sign(claims(), { alg }, secret);
      },
    ]),
    [
      "with HS256 and a signature of zeros",
      () => Promise.resolve(`${part({ alg: "HS256" })}.${part(claims())}.${"A".repeat(43)}`),
    ],
    [
      "signed with an algorithm that is not allowed",
      async () => {
        const { privateKey } = await generateKeyPair("ES384");
        return await issuer.sign(claims(), { alg: "ES384" }, privateKey);
      },
    ],
    ["with claims that are not JSON", () => Promise.resolve(`${part({ alg: "ES256" })}.AAAA.${"A".repeat(86)}`)],
    ["with arrays as header and claims", () => Promise.resolve(`${part([])}.${part([])}.AAAA`)],
    ["with four parts", async () => `${await issuer.sign(claims())}.x`],
    ["with five parts", () => Promise.resolve("a.b.c.d.e")],
    ["with two parts", () => Promise.resolve("a.b")],
    ["with spaces in it", async () => (await issuer.sign(claims())).replace(".", ". ")],
    ["in quotation marks", async () => `"${await issuer.sign(claims())}"`],
    ["that is repeated", async () => `${await issuer.sign(claims())},${await issuer.sign(claims())}`],
  ];

  /** Signs a header that the library would reject. */
  async function handSigned(header: Record<string, unknown>): Promise<string> {
    const text = `${part(header)}.${part(claims())}`;
    const key = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(key, issuer.pair.privateKey, Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  }

  it("are at least 60", () => expect(cases.length).toBeGreaterThanOrEqual(60));

  it.each(cases)("a token %s gets 401 with the URL of the metadata", async (_, make) => {
    const { status, headers, json } = await ask(await make());
    expect([status, json["code"]]).toEqual([401, "UNAUTHORIZED"]);
    expect(headers.get("www-authenticate")).toBe(
      `Bearer realm="anygpt", error="invalid_token", resource_metadata="${rest.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(issuer.asked.has("/evil")).toBe(false);
  });

  it("a valid token in the URL gets 401", async () => {
    const token = await issuer.sign(claims());
    for (const path of [`/api/adapters?access_token=${token}`, `/api/adapters?token=${token}`]) {
      expect((await rest.ask(path, { headers: { authorization: "" } })).status).toBe(401);
    }
    expect(rest.logged.join("\n")).not.toContain(token.slice(-20));
  });

  it("cause only one request for the keys", () => {
    expect(issuer.asked.get("/jwks")).toBe(1);
    expect(issuer.asked.get("/.well-known/oauth-authorization-server")).toBe(1);
  });
});

describe("the claims of a token", () => {
  it("must include the required scopes", async () => {
    const at = await open({ requiredScopes: ["mcp:use", "mcp:more"] });
    for (const scope of ["", "mcp:use", "mcp", "MCP:USE mcp:more"]) {
      const { status, headers } = await ask(await issuer.sign(claims({ scope })), "/api/adapters", at);
      expect(status).toBe(403);
      expect(headers.get("www-authenticate")).toMatch(/error="insufficient_scope", scope="mcp:use mcp:more"/);
    }
    for (const scope of ["mcp:use mcp:more", ["mcp:more", "mcp:use"], "mcp:*", "*"]) {
      expect((await ask(await issuer.sign(claims({ scope })), "/api/adapters", at)).status).toBe(200);
    }
    const { headers } = await at.ask("/api/adapters", { headers: { authorization: "" } });
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer realm="anygpt", scope="mcp:use mcp:more", resource_metadata=/,
    );
  });

  it("must name a view if a view claim is configured", async () => {
    const at = await open({ viewClaim: "team", views: { red: "office" } });
    for (const team of [undefined, "blue", 7, ["red"], "__proto__"]) {
      expect((await ask(await issuer.sign(claims({ team })), "/api/adapters", at)).status).toBe(403);
    }
    // The configuration has no view "office".
    const { status, json } = await ask(await issuer.sign(claims({ team: "red" })), "/api/adapters", at);
    expect([status, String(json["detail"])]).toEqual([403, "The view of this caller does not exist."]);
  });
});

describe("the protected resource metadata", () => {
  it.each([
    ["", "/mcp"],
    ["/mcp", "/mcp"],
    ["/mcp/gateway", "/mcp/gateway"],
    ["/mcp/p/office", "/mcp/p/office"],
  ])("at %s names the authorization server for %s", async (suffix, path) => {
    const reply = await rest.ask(`/.well-known/oauth-protected-resource${suffix}`, { headers: { authorization: "" } });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      resource: `${rest.url}${path}`,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
      resource_name: "AnyGPT Discovery",
    });
  });

  it("contains the public URL, and each endpoint names its metadata in the challenge", async () => {
    const at = await open({}, { publicUrl: "https://gateway.example" });
    const reply = await at.ask("/.well-known/oauth-protected-resource/mcp", { headers: { authorization: "" } });
    expect(reply.json["resource"]).toBe("https://gateway.example/mcp");
    for (const path of ["/mcp", "/mcp/gateway", "/mcp/p/office"]) {
      const { headers } = await at.ask(path, { method: "POST", headers: { authorization: "" } });
      expect(headers.get("www-authenticate")).toContain(
        `resource_metadata="https://gateway.example/.well-known/oauth-protected-resource${path}"`,
      );
    }
  });

  it("does not exist without an authorization server", async () => {
    const at = await openRest();
    opened.push(at);
    expect((await at.ask("/.well-known/oauth-protected-resource/mcp")).status).toBe(404);
    expect((await at.ask("/x", { headers: { authorization: "" } })).headers.get("www-authenticate")).not.toContain(
      "resource_metadata",
    );
  });
});

describe("the OAuth options", () => {
  const good = { issuer: "https://id.example", audience: AUDIENCE };
  it.each<[string, object]>([
    ["an algorithm with a shared secret", { algorithms: ["HS256"] }],
    ["the algorithm none", { algorithms: ["none"] }],
    ["no algorithm", { algorithms: [] }],
    ["no audience", { audience: [] }],
    ["an empty audience", { audience: "" }],
    ["a javascript: URL as issuer", { issuer: "javascript:alert(1)" }],
    ["a file: URL as issuer", { issuer: "file:///x" }],
    ["an issuer with a query", { issuer: "https://id.example?x" }],
    ["a file: URL for the keys", { jwksUri: "file:///x" }],
    ["an unknown option", { audiance: "x" }],
  ])("reject %s", (_, more) => expect(oauthOptions.safeParse({ ...good, ...more }).success).toBe(false));

  it("have safe defaults", () => {
    expect(oauthOptions.parse(good)).toEqual({
      ...good,
      audience: [AUDIENCE],
      algorithms: ["ES256", "RS256", "EdDSA", "PS256"],
      scopesClaim: "scope",
      actorClaim: "sub",
      requiredScopes: [],
    });
  });
});

it("derives unique actor ids that can be written to the audit log", () => {
  const names = [
    "ann",
    "Ann",
    "auth0|1",
    "a/b",
    "a\nb",
    "~x",
    "ü",
    "x".repeat(500),
    `~${createHash("sha256").update("a/b").digest("hex")}`,
  ];
  const ids = names.map((name) => toActorId("https://id.example", name));
  expect(new Set([...ids, toActorId("https://other.example", "ann")]).size).toBe(names.length + 1);
  for (const id of ids) expect(id).toMatch(/^oauth:[0-9a-f]{12}\/[\w.@|:+~-]{1,128}$/);
  expect(ids[0]).toBe(toActorId("https://id.example", "ann"));
});
