import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAuthorizationServer } from "../../../test/support/authorization-server.js";
import { failure } from "../../../test/support/failure.js";
import { openSignInPlace, REDIRECT_URL, type SignInPlace } from "../../../test/support/sign-in.js";
import { isEnding } from "./credential.js";

const NEVER = new AbortController().signal;

let place: SignInPlace;
beforeEach(async () => {
  place = await openSignInPlace();
});
afterEach(() => place.close());

const asked = (path: string) => place.authorization.requests.filter((request) => request.path === path);

describe("a sign-in", () => {
  it("registers itself, proves itself with PKCE, and asks for tokens for this server alone", async () => {
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
    expect(login.isMine(searchParams)).toBe(true);
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

  it("never takes an answer with another state for its own", async () => {
    const login = await place.begin();
    const own = login.url.searchParams.get("state") ?? "";
    for (const state of ["", "x", own.slice(1), "A".repeat(own.length), own.toUpperCase()]) {
      expect(login.isMine(new URLSearchParams({ code: "c", state }))).toBe(false);
    }
    expect(login.isMine(new URLSearchParams({ code: "c" }))).toBe(false);
  });

  it("says that it was not granted, without repeating what strangers wrote", async () => {
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

  it("asks for the scopes that the server names, else for those of the person, and keeps those it had", async () => {
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

  it("finds a server of the older kind, whose own origin is its issuer", async () => {
    const { authorization } = place;
    const connection = { ...place.connection, url: `${authorization.origin}/mcp` };
    authorization.switches.metadata = (honest) => ({ ...honest, issuer: authorization.origin });
    expect((await place.begin({ connection })).issuer).toBe(authorization.origin);
  });

  it("says so when a server wants no sign-in at all", async () => {
    place.server.challenge = () => undefined;
    const connection = { ...place.connection, url: `${place.server.origin}/open` };
    expect(await failure(place.begin({ connection }))).toMatchObject({
      code: "INVALID_REQUEST",
      message: "remote does not ask anybody to sign in.",
    });
  });
});

describe("the client", () => {
  it("is the one that the person registered, and its secret is not kept", async () => {
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

  it("is the document at the address that the configuration names, where the server reads such", async () => {
    const url = "https://client.example/anygpt.json";
    place.authorization.switches.documents.set(url, { redirect_uris: ["http://127.0.0.1/callback"] });
    const connection = { ...place.connection, oauth: { clientMetadataUrl: url } };
    expect((await place.login({ connection })).client).toEqual({ id: url, authMethod: "none" });
    expect(asked("/register")).toEqual([]);
    place.authorization.switches.metadata = (honest) => ({ ...honest, client_id_metadata_document_supported: false });
    expect((await place.login({ connection })).client.id).toMatch(/^client-/);
  });

  it.each(["http://client.example/a", "https://client.example/", "javascript:alert(1)"])(
    "cannot be described at %s",
    async (clientMetadataUrl) => {
      const connection = { ...place.connection, oauth: { clientMetadataUrl } };
      expect((await failure(place.begin({ connection }))).code).toBe("CONFIGURATION_ERROR");
    },
  );

  it("has to be registered by hand where the server registers nobody", async () => {
    place.authorization.switches.registers = false;
    const error = await failure(place.begin());
    expect([error.code, error.hint]).toEqual(["CONFIGURATION_ERROR", expect.stringContaining("oauth.clientId")]);
  });

  it("has a secret of its own where the server insists on one", async () => {
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
    ["the same with a slash", { issuer: "SAME/" }],
  ])("with %s is refused", async (_, change) => {
    const issuer = change.issuer.replace("SAME", place.authorization.origin);
    place.authorization.switches.metadata = (honest) => ({ ...honest, issuer });
    expect((await failure(place.begin())).message).toContain("says that it is another issuer");
    expect(asked("/register")).toEqual([]);
  });

  it.each([
    ["no PKCE at all", { code_challenge_methods_supported: undefined }, "PKCE"],
    ["plain PKCE only", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["no codes", { response_types_supported: ["token"] }, "codes"],
    ["no token endpoint", { token_endpoint: undefined }, "cannot be read"],
    ["a description that is none", { response_types_supported: 7 }, "cannot be read"],
  ])("with %s is refused", async (_, change, why) => {
    place.authorization.switches.metadata = (honest) => ({ ...honest, ...change });
    expect((await failure(place.begin())).message).toContain(why);
  });

  it.each([
    ["another one", "https://evil.example"],
    ["none though it promised one", undefined],
  ])("is not believed when the browser brings back %s", async (_, iss) => {
    place.authorization.switches.iss = place.authorization.issuer;
    const login = await place.begin();
    const { searchParams } = await place.authorization.approve(login.url);
    expect(searchParams.get("iss")).toBe(place.authorization.issuer);
    if (iss === undefined) searchParams.delete("iss");
    else searchParams.set("iss", iss);
    expect((await failure(login.finish(searchParams, NEVER))).message).toContain("another issuer");
    expect(asked("/token")).toEqual([]);
  });

  it("that is put in place of another gets nothing that belongs to the first", async () => {
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

  it("is the one that the configuration names, if it names one", async () => {
    const connection = { ...place.connection, oauth: { issuer: place.authorization.issuer } };
    place.server.description = ({ resource }) => ({ resource });
    expect((await place.begin({ connection })).issuer).toBe(place.authorization.issuer);
    place.server.description = (honest) => ({ ...honest, authorization_servers: ["https://evil.example"] });
    expect((await failure(place.begin({ connection }))).message).toContain("and the server others");
  });
});

describe("a resource", () => {
  it.each(["https://other.example/mcp", "http://127.0.0.1:1/mcp", "ORIGIN/mcp/deeper", "ORIGIN/mc", "not an address"])(
    "that says it is %s is refused",
    async (resource) => {
      place.server.description = (honest) => ({ ...honest, resource: resource.replace("ORIGIN", place.server.origin) });
      expect((await failure(place.begin())).code).toBe("UPSTREAM_UNAUTHORIZED");
      expect(place.authorization.requests).toEqual([]);
    },
  );

  it("may be the whole origin", async () => {
    place.server.description = (honest) => ({ ...honest, resource: place.server.origin });
    expect((await place.begin()).url.searchParams.get("resource")).toBe(place.server.origin);
  });

  it("whose description it pointed to and does not have is not guessed at", async () => {
    place.server.challenge = () => `Bearer resource_metadata="${place.server.origin}/nowhere"`;
    expect((await failure(place.begin())).message).toContain("what the server says of itself cannot be read");
  });
});

it.each([
  [undefined, 5_000_000_000, false],
  [100_000, 69_999, false],
  [100_000, 90_000, true],
  [1_000, 899, false],
  [1_000, 900, true],
])("a token that ends at %s is about to end at %i: %s", (expiresAt, now, ends) => {
  const credential = { expiresAt } as unknown as Parameters<typeof isEnding>[0];
  expect(isEnding(credential, now, 0)).toBe(ends);
});
