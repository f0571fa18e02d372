import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAuthorizationServer } from "../../../test/support/authorization-server.js";
import { failure } from "../../../test/support/failure.js";
import { openSignInPlace, REDIRECT_URL, type SignInPlace } from "../../../test/support/sign-in.js";
import { expiresSoon } from "./credential.js";

const NEVER = new AbortController().signal;

let place: SignInPlace;
beforeEach(async () => {
  place = await openSignInPlace();
});
afterEach(() => place.close());

const asked = (path: string) => place.authorization.requests.filter((request) => request.path === path);

describe("a sign-in", () => {
  it("registers a client, uses PKCE, and requests tokens for this server only", async () => {
    const login = await place.begin();
    const query = login.url.searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: REDIRECT_URL,
      resource: place.server.url,
    });
    expect(query.get("state")?.length).toBeGreaterThanOrEqual(43);
    const { searchParams } = await place.authorization.approve(login.url);
    expect(login.matches(searchParams)).toBe(true);
    const credential = await login.finish(searchParams, NEVER);
    expect(credential).toMatchObject({ issuer: place.authorization.issuer, resource: place.server.url });
    expect(asked("/register")[0]?.json).toMatchObject({
      redirect_uris: [REDIRECT_URL],
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
    expect(asked("/token")[0]?.form.get("resource")).toBe(place.server.url);
    expect(place.authorization.fault(credential.accessToken, place.server.url)).toBeUndefined();
  });

  it("rejects a redirect with another state", async () => {
    const login = await place.begin();
    const state = login.url.searchParams.get("state") ?? "";
    for (const other of ["", "x", state.slice(1), "A".repeat(state.length), state.toUpperCase()]) {
      expect(login.matches(new URLSearchParams({ code: "c", state: other }))).toBe(false);
    }
    expect(login.matches(new URLSearchParams({ code: "c" }))).toBe(false);
  });

  it("reports a denied sign-in without repeating untrusted text", async () => {
    const login = await place.begin();
    const refused = await failure(login.finish(new URLSearchParams({ error: "access_denied" }), NEVER));
    expect(refused.message).toBe("The sign-in to remote was not granted (access_denied).");
    const hostile = await failure(login.finish(new URLSearchParams({ error: "run `this`" }), NEVER));
    expect(hostile.message).toBe("The sign-in to remote was not granted (no code).");
  });

  it("redeems a code once", async () => {
    const login = await place.begin();
    const { searchParams } = await place.authorization.approve(login.url);
    await login.finish(searchParams, NEVER);
    expect((await failure(login.finish(searchParams, NEVER))).message).toContain("invalid_grant");
  });

  it("requests the server's scopes or the user's, and keeps those granted before", async () => {
    place.server.challenge = (honest) => `${honest}, scope="files:read"`;
    expect((await place.begin()).scope).toBe("files:read");
    expect((await place.begin({ scope: "files:purge", grantedScope: "files:read" })).scope).toBe(
      "files:read files:purge",
    );
    const connection = { ...place.connection, oauth: { scopes: ["a", "b"] } };
    expect((await place.begin({ connection })).scope).toBe("a b");
    place.authorization.switches.metadata = (honest) => ({ ...honest, scopes_supported: ["offline_access"] });
    expect((await place.begin()).scope).toBe("files:read offline_access");
  });

  it("supports an older server whose origin is its issuer", async () => {
    const { authorization } = place;
    const connection = { ...place.connection, url: `${authorization.origin}/mcp` };
    authorization.switches.metadata = (honest) => ({ ...honest, issuer: authorization.origin });
    expect((await place.begin({ connection })).issuer).toBe(authorization.origin);
  });

  it("reports that a server requires no sign-in", async () => {
    place.server.challenge = () => undefined;
    const connection = { ...place.connection, url: `${place.server.origin}/open` };
    expect(await failure(place.begin({ connection }))).toMatchObject({
      code: "INVALID_REQUEST",
      message: "remote does not require a sign-in.",
    });
  });
});

describe("the client", () => {
  it("is the configured one, and its secret is not stored", async () => {
    const secret = "s3cret/with:signs";
    place.authorization.switches.clients.set("my client", { secret, redirectUris: [REDIRECT_URL] });
    const connection = { ...place.connection, oauth: { clientId: "my client", clientSecret: secret } };
    const credential = await place.login({ connection });
    expect(credential.client).toEqual({ id: "my client", isConfigured: true });
    expect(asked("/register")).toEqual([]);
    place.authorization.endAccessTokens();
    const signIns = place.signIns();
    const signIn = signIns({ server: "remote", connection, actor: "local" });
    expect(await signIn?.another(credential.accessToken)).not.toBe(credential.accessToken);
    const other = { ...connection, oauth: { clientId: "another client" } };
    const forOther = signIns({ server: "remote", connection: other, actor: "local" });
    const current = await forOther?.token();
    expect(await forOther?.another(current)).toBeUndefined();
  });

  it("is the configured client metadata document, if the server supports such documents", async () => {
    const url = "https://client.example/anygpt.json";
    place.authorization.switches.documents.set(url, { redirect_uris: ["http://127.0.0.1/callback"] });
    const connection = { ...place.connection, oauth: { clientMetadataUrl: url } };
    expect((await place.login({ connection })).client).toEqual({ id: url, authMethod: "none" });
    expect(asked("/register")).toEqual([]);
    place.authorization.switches.metadata = (honest) => ({ ...honest, client_id_metadata_document_supported: false });
    expect((await place.login({ connection })).client.id).toMatch(/^client-/);
  });

  it.each(["http://client.example/a", "https://client.example/", "javascript:alert(1)"])(
    "rejects the client metadata URL %s",
    async (clientMetadataUrl) => {
      const connection = { ...place.connection, oauth: { clientMetadataUrl } };
      expect((await failure(place.begin({ connection }))).code).toBe("CONFIGURATION_ERROR");
    },
  );

  it("must be registered by hand if the server does not support dynamic registration", async () => {
    place.authorization.switches.registers = false;
    const error = await failure(place.begin());
    expect([error.code, error.hint]).toEqual(["CONFIGURATION_ERROR", expect.stringContaining("oauth.clientId")]);
  });

  it("has a secret if the server requires one", async () => {
    place.authorization.switches.metadata = (honest) => ({
      ...honest,
      token_endpoint_auth_methods_supported: ["client_secret_post"],
    });
    const { client } = await place.login();
    expect(client.secret).toMatch(/^client-/);
    expect(asked("/token")[0]?.form.get("client_secret")).toBe(client.secret);
  });
});

describe("an issuer", () => {
  it.each([
    ["another issuer in its metadata", { issuer: "https://other.example" }],
    ["the same issuer with a trailing slash", { issuer: "SAME/" }],
  ])("with %s is rejected", async (_, change) => {
    const issuer = change.issuer.replace("SAME", place.authorization.origin);
    place.authorization.switches.metadata = (honest) => ({ ...honest, issuer });
    expect((await failure(place.begin())).message).toContain("identifies itself as another issuer");
    expect(asked("/register")).toEqual([]);
  });

  it.each([
    ["no PKCE", { code_challenge_methods_supported: undefined }, "PKCE"],
    ["plain PKCE only", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["no code flow", { response_types_supported: ["token"] }, "code flow"],
    ["no token endpoint", { token_endpoint: undefined }, "cannot be read"],
    ["invalid metadata", { response_types_supported: 7 }, "cannot be read"],
  ])("with %s is rejected", async (_, change, why) => {
    place.authorization.switches.metadata = (honest) => ({ ...honest, ...change });
    expect((await failure(place.begin())).message).toContain(why);
  });

  it.each([
    ["another one", "https://evil.example"],
    ["no issuer although the metadata announces one", undefined],
  ])("is rejected when the redirect carries %s", async (_, iss) => {
    place.authorization.switches.iss = place.authorization.issuer;
    const login = await place.begin();
    const { searchParams } = await place.authorization.approve(login.url);
    expect(searchParams.get("iss")).toBe(place.authorization.issuer);
    if (iss === undefined) searchParams.delete("iss");
    else searchParams.set("iss", iss);
    expect((await failure(login.finish(searchParams, NEVER))).message).toContain("another issuer");
    expect(asked("/token")).toEqual([]);
  });

  it("that replaces another one receives nothing of the first one's credential", async () => {
    const first = await place.login();
    const second = await startAuthorizationServer();
    try {
      place.server.description = (honest) => ({ ...honest, authorization_servers: [second.issuer] });
      const login = await place.begin();
      await login.finish((await second.approve(login.url)).searchParams, NEVER);
      const sent = JSON.stringify(second.requests.map(({ form, json, headers }) => [[...form], json, headers]));
      for (const secret of [...place.authorization.secrets, first.client.id]) expect(sent).not.toContain(secret);
    } finally {
      await second.stop();
    }
  });

  it("is the configured one, if there is one", async () => {
    const connection = { ...place.connection, oauth: { issuer: place.authorization.issuer } };
    place.server.description = ({ resource }) => ({ resource });
    expect((await place.begin({ connection })).issuer).toBe(place.authorization.issuer);
    place.server.description = (honest) => ({ ...honest, authorization_servers: ["https://evil.example"] });
    expect((await failure(place.begin({ connection }))).message).toContain("but the server names others");
  });
});

describe("a resource", () => {
  it.each(["https://other.example/mcp", "http://127.0.0.1:1/mcp", "ORIGIN/mcp/deeper", "ORIGIN/mc", "not an address"])(
    "is rejected if its metadata says %s",
    async (resource) => {
      place.server.description = (honest) => ({ ...honest, resource: resource.replace("ORIGIN", place.server.origin) });
      expect((await failure(place.begin())).code).toBe("UPSTREAM_UNAUTHORIZED");
      expect(place.authorization.requests).toEqual([]);
    },
  );

  it("may be the complete origin", async () => {
    place.server.description = (honest) => ({ ...honest, resource: place.server.origin });
    expect((await place.begin()).url.searchParams.get("resource")).toBe(place.server.origin);
  });

  it("is rejected if it names metadata that does not exist", async () => {
    place.server.challenge = () => `Bearer resource_metadata="${place.server.origin}/missing"`;
    expect((await failure(place.begin())).message).toContain(
      "the protected resource metadata of the server cannot be read",
    );
  });
});

it.each([
  [undefined, 5_000_000_000, false],
  [100_000, 69_999, false],
  [100_000, 90_000, true],
  [1_000, 899, false],
  [1_000, 900, true],
])("decides whether a token that expires at %s is about to expire at %i: %s", (expiresAt, now, ends) => {
  const credential = { expiresAt } as unknown as Parameters<typeof expiresSoon>[0];
  expect(expiresSoon(credential, now, 0)).toBe(ends);
});
