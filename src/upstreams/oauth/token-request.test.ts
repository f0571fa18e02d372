import { expect, it } from "vitest";
import { requestTokens, revokeToken, type TokenRequest } from "./token-request.js";

const REQUEST: TokenRequest = {
  endpoint: "https://as.example/token",
  authMethods: [],
  client: { id: "c" },
  form: { grant_type: "refresh_token", refresh_token: "r" },
};

const answering = (status: number, body: unknown) => () =>
  Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));

it.each([
  [
    "tokens",
    200,
    { access_token: "a", token_type: "bearer", expires_in: "60" },
    { kind: "granted", tokens: { accessToken: "a", lifetimeMs: 60_000 } },
  ],
  [
    "an invalid lifetime",
    200,
    { access_token: "a", expires_in: -1 },
    { kind: "granted", tokens: { accessToken: "a" } },
  ],
  [
    "a lifetime beyond the range of dates",
    200,
    { access_token: "a", expires_in: 1e300 },
    { kind: "granted", tokens: { accessToken: "a", lifetimeMs: 315_360_000_000 } },
  ],
  ["a permanent error", 400, { error: "invalid_grant" }, { kind: "refused", reason: "invalid_grant" }],
  ["a permanent error with status 200", 200, { error: "invalid_grant" }, { kind: "refused", reason: "invalid_grant" }],
  ["a permanent error with a 5xx status", 500, { error: "invalid_grant" }, { kind: "failed", reason: "invalid_grant" }],
  [
    "a temporary error",
    400,
    { error: "temporarily_unavailable" },
    { kind: "failed", reason: "temporarily_unavailable" },
  ],
  ["a rate limit", 429, {}, { kind: "failed", reason: "HTTP 429" }],
  [
    "an error that is not safe to show",
    400,
    { error: "run `this`" },
    { kind: "failed", reason: "an error that cannot be shown" },
  ],
  ["no token", 200, { token_type: "bearer" }, { kind: "failed", reason: "HTTP 200" }],
  ["a token that would add a header", 200, { access_token: "a\r\nx: y" }, { kind: "failed", reason: "HTTP 200" }],
  [
    "a token of another type",
    200,
    { access_token: "a", token_type: "DPoP" },
    { kind: "refused", reason: "its tokens are not bearer tokens" },
  ],
  ["a response that is not JSON", 200, "<html>", { kind: "failed", reason: "HTTP 200" }],
  ["a redirect", 302, "", { kind: "failed", reason: "HTTP 302" }],
])("interprets %s", async (_, status, body, expected) => {
  expect(await requestTokens(REQUEST, answering(status, body))).toEqual(expected);
});

it.each([
  ["a client without a secret", { id: "c" }, [], undefined, { client_id: "c" }],
  ["a secret, by default in the header", { id: "c d", secret: "e:f" }, [], "c+d:e%3Af", {}],
  [
    "a secret in the body if the server supports nothing else",
    { id: "c", secret: "s" },
    ["client_secret_post"],
    undefined,
    { client_id: "c", client_secret: "s" },
  ],
  [
    "a secret by the registered method",
    { id: "c", secret: "s", authMethod: "client_secret_post" },
    ["client_secret_basic", "client_secret_post"],
    undefined,
    { client_id: "c", client_secret: "s" },
  ],
])("sends %s", async (_, client, authMethods, basic, inBody) => {
  const sent: RequestInit[] = [];
  await requestTokens({ ...REQUEST, client, authMethods }, (url, init) => {
    sent.push(init ?? {});
    return answering(200, { access_token: String(url) })();
  });
  const [{ headers, body, redirect } = {}] = sent;
  const authorization = new Headers(headers).get("authorization");
  expect(authorization && Buffer.from(authorization.slice(6), "base64").toString()).toBe(basic ?? null);
  expect(Object.fromEntries(new URLSearchParams(body as string))).toEqual({ ...REQUEST.form, ...inBody });
  expect(redirect).toBe("manual");
});

it("reports a server that does not support token revocation", async () => {
  const credential = {
    issuer: "",
    tokenEndpoint: "",
    authMethods: [],
    client: { id: "c" },
    resource: "",
    accessToken: "",
  };
  const token = { token: "t", hint: "access_token", client: { id: "c" } };
  expect(await revokeToken(credential, token, answering(200, ""))).toBe(
    "its authorization server does not support token revocation",
  );
  const able = { ...credential, revocationEndpoint: "https://as.example/revoke" };
  expect(await revokeToken(able, token, answering(200, ""))).toBeUndefined();
  expect(await revokeToken(able, token, answering(400, { error: "unsupported_token_type" }))).toBe(
    "unsupported_token_type",
  );
});
