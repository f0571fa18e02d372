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
  it.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT", undefined])("counts as the type %s", async (typ) => {
    const token = await issuer.sign(claims(), typ === undefined ? { typ: undefined as never } : { typ });
    expect((await ask(token)).status).toBe(200);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ["for several", () => ({ aud: ["https://other.example", AUDIENCE] })],
    ["that expired half a minute ago", () => ({ exp: now() - 30 })],
    ["that counts from half a minute on", () => ({ nbf: now() + 30 })],
    ["with claims that nobody knows", () => ({ "https://a.example/x": { deep: [1] } })],
  ])("counts: one %s", async (_, more) => expect((await ask(await issuer.sign(claims(more())))).status).toBe(200));

  it.each(["RS256", "PS256", "EdDSA"])("may be signed by %s", async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const own = await openIssuer();
    await own.publish(pair, alg, alg);
    const at = await open({ issuer: own.url });
    const token = await own.sign({ ...claims(), iss: own.url }, { alg, kid: alg }, pair.privateKey);
    expect((await ask(token, "/api/adapters", at)).status).toBe(200);
    await own.close();
  });

  it("carries its caller's id and scopes into the record and the policy", async () => {
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

  it("is taken by MCP as well", async () => {
    const token = await issuer.sign(claims());
    expect((await askModern({ url: rest.url, token }, "tools/list")).answer.result?.["tools"]).toHaveLength(5);
  });
});

describe("sixty invalid tokens", () => {
  const other = "https://evil.example";
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claimed: readonly [string, () => Record<string, unknown>][] = [
    ["for another", () => ({ aud: other })],
    ["for nobody", () => ({ aud: undefined })],
    ["for an empty list", () => ({ aud: [] })],
    ["for a part of our name", () => ({ aud: "https://gateway.example" })],
    ["for more than our name", () => ({ aud: `${AUDIENCE}/` })],
    ["for our name in capitals", () => ({ aud: AUDIENCE.toUpperCase() })],
    ["for a number", () => ({ aud: 7 })],
    ["for nothing", () => ({ aud: null })],
    ["of another issuer", () => ({ iss: other })],
    ["of no issuer", () => ({ iss: undefined })],
    ["of the issuer with a slash", () => ({ iss: `${issuer.url}/` })],
    ["of several issuers", () => ({ iss: [issuer.url] })],
    ["that has expired", () => ({ exp: now() - 61 })],
    ["that expired long ago", () => ({ exp: 1 })],
    ["that never expires", () => ({ exp: undefined })],
    ["whose end is a text", () => ({ exp: String(now() + 300) })],
    ["whose end is nothing", () => ({ exp: null })],
    ["that does not count yet", () => ({ nbf: now() + 90 })],
    ["that counts from a text on", () => ({ nbf: "now" })],
    ["of nobody", () => ({ sub: undefined })],
    ["of an empty name", () => ({ sub: "" })],
    ["of a number", () => ({ sub: 7 })],
    ["of a list", () => ({ sub: ["ann"] })],
    ["of a name without end", () => ({ sub: "x".repeat(2000) })],
  ];
  const headed: readonly [string, Record<string, unknown>][] = [
    ["of another type", { typ: "logout+jwt" }],
    ["of an answer's type", { typ: "id_token+jwt" }],
    ["of a proof's type", { typ: "dpop+jwt" }],
    ["of an encrypted type", { typ: "JWE" }],
    ["of another key", { kid: "two" }],
    ["of a key in a file", { kid: "../../../../dev/null" }],
    ["of a key in a table", { kid: "one' UNION SELECT 'x" }],
    ["of a key at an address", { kid: "http://evil.example/jwks" }],
    ["of no key's name but a number", { kid: 1 }],
    ["with something critical", { crit: ["x"], x: 1 }],
    ["with a part that is not encoded", { b64: false, crit: ["b64"] }],
  ];

  const cases: readonly [string, () => Promise<string>][] = [
    ...claimed.map(([name, more]): [string, () => Promise<string>] => [name, () => issuer.sign(claims(more()))]),
    ...headed.map(([name, more]): [string, () => Promise<string>] => [
      name,
      () => handSigned({ alg: "ES256", kid: "one", typ: "at+jwt", ...more }),
    ]),
    ["signed by nobody", () => Promise.resolve(new UnsecuredJWT(claims()).encode())],
    ["signed by nobody, in capitals", () => Promise.resolve(`${part({ alg: "NONE" })}.${part(claims())}.`)],
    ["signed by nobody, and some letters", () => Promise.resolve(`${part({ alg: "none" })}.${part(claims())}.AAAA`)],
    ["with no algorithm", () => Promise.resolve(`${part({ typ: "JWT" })}.${part(claims())}.AAAA`)],
    ["with an empty signature", async () => `${(await issuer.sign(claims())).split(".").slice(0, 2).join(".")}.`],
    ["with its signature cut off", async () => (await issuer.sign(claims())).slice(0, -4)],
    [
      "with a signature of zeros",
      async () => `${(await issuer.sign(claims())).split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`,
    ],
    [
      "with another's claims",
      async () => {
        const [head, , tail] = (await issuer.sign(claims())).split(".");
        return `${head}.${part(claims({ sub: "root" }))}.${tail}`;
      },
    ],
    [
      "with another's head",
      async () => {
        const [, body, tail] = (await issuer.sign(claims())).split(".");
        return `${part({ alg: "ES256", kid: "one", typ: "JWT" })}.${body}.${tail}`;
      },
    ],
    [
      "of a stranger who uses our key's name",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return await issuer.sign(claims(), {}, privateKey);
      },
    ],
    [
      "of a stranger who brings the key along",
      async () => {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        return await new SignJWT(claims())
          .setProtectedHeader({ alg: "ES256", kid: "one", jwk: publicKey.export({ format: "jwk" }) })
          .sign(privateKey);
      },
    ],
    [
      "of a stranger who says where the keys are",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return await issuer.sign(claims(), { jku: `${issuer.url}/evil`, x5u: `${issuer.url}/evil` }, privateKey);
      },
    ],
    ...["HS256", "HS384", "HS512"].map((alg): [string, () => Promise<string>] => [
      `signed by ${alg} with the published key as the secret`,
      async () => {
        const secret = new TextEncoder().encode(await exportSPKI(issuer.pair.publicKey));
        return await issuer.sign(claims(), { alg }, secret);
      },
    ]),
    [
      "signed by HS256 with nothing",
      () => Promise.resolve(`${part({ alg: "HS256" })}.${part(claims())}.${"A".repeat(43)}`),
    ],
    [
      "signed as it may not be",
      async () => {
        const { privateKey } = await generateKeyPair("ES384");
        return await issuer.sign(claims(), { alg: "ES384" }, privateKey);
      },
    ],
    ["that is no JSON", () => Promise.resolve(`${part({ alg: "ES256" })}.AAAA.${"A".repeat(86)}`)],
    ["that is a list", () => Promise.resolve(`${part([])}.${part([])}.AAAA`)],
    ["with four parts", async () => `${await issuer.sign(claims())}.x`],
    ["with five parts", () => Promise.resolve("a.b.c.d.e")],
    ["with two parts", () => Promise.resolve("a.b")],
    ["with spaces in it", async () => (await issuer.sign(claims())).replace(".", ". ")],
    ["in quotes", async () => `"${await issuer.sign(claims())}"`],
    ["twice", async () => `${await issuer.sign(claims())},${await issuer.sign(claims())}`],
  ];

  /** As no library would sign it. */
  async function handSigned(header: Record<string, unknown>): Promise<string> {
    const text = `${part(header)}.${part(claims())}`;
    const key = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(key, issuer.pair.privateKey, Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  }

  it("are sixty", () => expect(cases.length).toBeGreaterThanOrEqual(60));

  it.each(cases)("one %s gets 401 with the address of the metadata", async (_, make) => {
    const { status, headers, json } = await ask(await make());
    expect([status, json["code"]]).toEqual([401, "UNAUTHORIZED"]);
    expect(headers.get("www-authenticate")).toBe(
      `Bearer realm="anygpt", error="invalid_token", resource_metadata="${rest.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(issuer.asked.has("/evil")).toBe(false);
  });

  it("nor is a right one anywhere but in the header", async () => {
    const token = await issuer.sign(claims());
    for (const path of [`/api/adapters?access_token=${token}`, `/api/adapters?token=${token}`]) {
      expect((await rest.ask(path, { headers: { authorization: "" } })).status).toBe(401);
    }
    expect(rest.logged.join("\n")).not.toContain(token.slice(-20));
  });

  it("ask for the keys no more than once", () => {
    expect(issuer.asked.get("/jwks")).toBe(1);
    expect(issuer.asked.get("/.well-known/oauth-authorization-server")).toBe(1);
  });
});

describe("further claims of a token", () => {
  it("are the scopes that everybody needs", async () => {
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

  it("is the view, where there are views", async () => {
    const at = await open({ viewClaim: "team", views: { red: "office" } });
    for (const team of [undefined, "blue", 7, ["red"], "__proto__"]) {
      expect((await ask(await issuer.sign(claims({ team })), "/api/adapters", at)).status).toBe(403);
    }
    // There is no such view, so its callers see nothing.
    const { status, json } = await ask(await issuer.sign(claims({ team: "red" })), "/api/adapters", at);
    expect([status, String(json["detail"])]).toEqual([403, "The view of this caller does not exist."]);
  });
});

describe("the metadata of the resource", () => {
  it.each([
    ["", "/mcp"],
    ["/mcp", "/mcp"],
    ["/mcp/gateway", "/mcp/gateway"],
    ["/mcp/p/office", "/mcp/p/office"],
  ])("at %s say who gives out tokens for %s", async (suffix, path) => {
    const reply = await rest.ask(`/.well-known/oauth-protected-resource${suffix}`, { headers: { authorization: "" } });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      resource: `${rest.url}${path}`,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
      resource_name: "AnyGPT Discovery",
    });
  });

  it("name the address by which others know the gateway, and that of each endpoint is in its challenge", async () => {
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

  it("are not there where no authorization server is trusted", async () => {
    const at = await openRest();
    opened.push(at);
    expect((await at.ask("/.well-known/oauth-protected-resource/mcp")).status).toBe(404);
    expect((await at.ask("/x", { headers: { authorization: "" } })).headers.get("www-authenticate")).not.toContain(
      "resource_metadata",
    );
  });
});

describe("the options", () => {
  const good = { issuer: "https://id.example", audience: AUDIENCE };
  it.each<[string, object]>([
    ["a shared secret", { algorithms: ["HS256"] }],
    ["no signature", { algorithms: ["none"] }],
    ["no algorithm", { algorithms: [] }],
    ["no audience", { audience: [] }],
    ["an empty audience", { audience: "" }],
    ["a script as issuer", { issuer: "javascript:alert(1)" }],
    ["a file as issuer", { issuer: "file:///x" }],
    ["an issuer with a query", { issuer: "https://id.example?x" }],
    ["keys in a file", { jwksUri: "file:///x" }],
    ["a key that nobody knows", { audiance: "x" }],
  ])("do not take %s", (_, more) => expect(oauthOptions.safeParse({ ...good, ...more }).success).toBe(false));

  it("have defaults that are safe", () => {
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

it("names callers so that no two are one, and each can stand in a record", () => {
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
