import { describe, expect, it } from "vitest";
import { GET, POST, setUpSessions } from "../../../test/rest/loopback-session.js";
import { json, type Loopback } from "../../../test/rest/loopback.js";
import { open, parameter, toCall, toOperation } from "../../../test/rest/session.js";
import { failure } from "../../../test/support/failure.js";
import type { RestAuth } from "../../model/server.js";
import { createSecrets } from "../../util/secrets.js";

const { serve, openTo } = setUpSessions();

describe("credentials that are not set", () => {
  it("are named by the call that needs them, and other calls work", async () => {
    const api = await serve();
    const session = await openTo(api, { lacking: ["SHOP_TOKEN"] });
    expect(await failure(session.callTool(toCall(GET)))).toMatchObject({
      code: "CONFIGURATION_ERROR",
      executed: "no",
      facts: { variables: ["SHOP_TOKEN"] },
    });
    await session.callTool(toCall(toOperation({ isOpen: true })));
    expect(api.received).toHaveLength(1);
  });
});

describe("credentials", () => {
  const cases: [string, RestAuth, object][] = [
    ["a bearer token", { kind: "bearer", token: "tok-1" }, { headers: { authorization: "Bearer tok-1" } }],
    [
      "a password",
      { kind: "basic", username: "ann", password: "pw:x" },
      { headers: { authorization: `Basic ${btoa("ann:pw:x")}` } },
    ],
    ["a key in a header", { kind: "api-key", in: "header", name: "X-Key", value: "k" }, { headers: { "x-key": "k" } }],
    [
      "a key in the query",
      { kind: "api-key", in: "query", name: "key", value: "k&1" },
      { url: "/v1/items?q=x&key=k%261" },
    ],
    [
      "a key in a cookie",
      { kind: "api-key", in: "cookie", name: "sid", value: "s;1" },
      { headers: { cookie: "c=1; sid=s%3B1" } },
    ],
  ];
  const operation = toOperation({
    parameters: [parameter("query", "q"), parameter("cookie", "c"), parameter("query", "key")],
  });

  it.each(cases)("are sent as %s", async (_, auth, seen) => {
    const api = await serve();
    await (await openTo(api, { auth })).callTool(toCall(operation, { q: "x", c: 1 }));
    expect(api.received[0]).toMatchObject(seen);
  });

  it.each(cases)("are not sent as %s if the document requires none", async (_, auth) => {
    const api = await serve();
    const headers = { authorization: "Basic x", "x-token": "t", "x-team": "blue" };
    await (await openTo(api, { auth, headers })).callTool(toCall(toOperation({ isOpen: true })));
    const [seen] = api.received;
    expect(seen?.url).toBe("/v1/items");
    expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
      "x-team",
    ]);
  });

  it("of the configuration override an argument of the same name", async () => {
    const api = await serve();
    const session = await openTo(api, { auth: { kind: "api-key", in: "query", name: "key", value: "right" } });
    await session.callTool(toCall(operation, { key: "wrong", q: "x" }));
    expect(api.received[0]?.url).toBe("/v1/items?q=x&key=right");
  });

  it("that cannot be sent are a configuration error", async () => {
    for (const connection of [
      { headers: { Host: "other" } },
      { headers: { "X-A": "b\r\nc" } },
      { auth: { kind: "bearer", token: "a\nb" } as const },
      { auth: { kind: "api-key", in: "header", name: "a b", value: "c" } as const },
    ]) {
      await expect(open({ baseUrl: "https://a.example", ...connection })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
      });
    }
  });

  it("are redacted in errors even if the API repeats them", async () => {
    const api = await serve(json({ message: "bad token s3cret-t0ken-value and c2VjcmV0" }, 400));
    const secrets = createSecrets();
    const session = await openTo(api, { auth: { kind: "bearer", token: "s3cret-t0ken-value" } }, { secrets });
    const error = await failure(session.callTool(toCall(GET)));
    expect(JSON.stringify([error.message, error.facts])).not.toContain("s3cret-t0ken");
    expect(error.facts["api_message"]).toContain("bad token ***");
  });

  it("that are rejected are named in the hint", async () => {
    const api = await serve(json({ error: { message: "Expired." } }, 401));
    const [without, withToken] = [await openTo(api), await openTo(api, { auth: { kind: "bearer", token: "x" } })];
    expect(await failure(without.callTool(toCall(GET)))).toMatchObject({
      code: "UPSTREAM_UNAUTHORIZED",
      message: "api rejected the credentials (HTTP 401): Expired.",
      hint: "The request had no credentials. Set adapters.api.auth.",
      executed: "no",
    });
    const { hint } = await failure(withToken.callTool(toCall(GET)));
    expect(hint).toBe("Check token in adapters.api.auth, and the variables that it uses.");
  });

  it("of callers are never sent", async () => {
    const api = await serve();
    const meta = {
      authorization: "canary",
      headers: { cookie: "canary" },
      "anygpt/idempotencyKey": "canary",
      traceparent: "canary",
    };
    await (await openTo(api)).callTool(toCall(GET, {}, { meta }));
    expect(JSON.stringify(api.received)).not.toContain("canary");
  });
});

describe("client credentials", () => {
  /** Issues tokens one by one; the API accepts only the newest. */
  async function serveTokens(expiresIn = 3600): Promise<{ api: Loopback; issued: () => number; revoke(): void }> {
    let issued = 0;
    let valid = "";
    const api = await serve((received, response) => {
      if (received.url === "/token") {
        issued += 1;
        valid = `token-${issued}`;
        return json({ access_token: valid, token_type: "Bearer", expires_in: expiresIn })(received, response);
      }
      const isRight = received.headers["authorization"] === `Bearer ${valid}`;
      return json({}, isRight ? 200 : 401)(received, response);
    });
    return { api, issued: () => issued, revoke: () => (valid = "") };
  }
  const authOf = (api: Loopback) =>
    ({
      kind: "client-credentials",
      tokenUrl: `${api.origin}/token`,
      clientId: "i d",
      clientSecret: "s:c",
      scopes: ["a", "b"],
    }) as const;

  it("are used once for fifty concurrent calls", async () => {
    const { api, issued } = await serveTokens();
    const session = await openTo(api, { auth: authOf(api) });
    await Promise.all(Array.from({ length: 50 }, () => session.callTool(toCall(GET))));
    expect(issued()).toBe(1);
    const [asked] = api.received;
    expect(asked?.body.toString()).toBe("grant_type=client_credentials&scope=a+b");
    expect(asked?.headers["authorization"]).toBe(`Basic ${btoa("i+d:s%3Ac")}`);
  });

  it("are used once more when fifty concurrent calls are rejected, and each call runs once", async () => {
    const { api, issued, revoke } = await serveTokens();
    const session = await openTo(api, { auth: authOf(api) });
    await session.callTool(toCall(POST));
    revoke();
    const results = await Promise.all(Array.from({ length: 50 }, () => session.callTool(toCall(POST))));
    expect([results.length, issued()]).toEqual([50, 2]);
    const ran = api.received.filter(
      ({ url, headers }) => url === "/v1/items" && headers["authorization"] === "Bearer token-2",
    );
    expect(ran.length).toBe(50);
  });

  it("are used again shortly before the token expires", async () => {
    const { api, issued } = await serveTokens(100);
    let now = 0;
    const session = await openTo(api, { auth: authOf(api) }, { now: () => now });
    await session.callTool(toCall(GET));
    now = 89_000;
    await session.callTool(toCall(GET));
    expect(issued()).toBe(1);
    now = 90_000;
    await session.callTool(toCall(GET));
    expect(issued()).toBe(2);
  });

  it("report the call as not executed if the token request fails", async () => {
    const api = await serve((_, response) => response.socket?.resetAndDestroy());
    const error = await failure((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
  });

  it.each([{ timeoutMs: 50 }, { maxTotalMs: 50 }])(
    "wait no longer than the time limit of the call: %j",
    async (limits) => {
      const api = await serve(() => undefined);
      const session = await openTo(api, { auth: authOf(api) }, { now: () => 0 });
      const error = await failure(session.callTool(toCall(POST, {}, limits)));
      expect([error.code, error.executed, error.facts["limitMs"]]).toEqual(["TOOL_EXECUTION_TIMEOUT", "no", 50]);
    },
  );

  it("continue to fetch a token for other callers when one caller cancels", async () => {
    const abort = new AbortController();
    const api = await serve();
    let give: () => unknown = () => undefined;
    api.reply = (received, response) => {
      if (received.url !== "/token") return json({})(received, response);
      give = () => json({ access_token: "t" })(received, response);
      return abort.abort();
    };
    const session = await openTo(api, { auth: authOf(api) });
    const { signal } = abort;
    const [left, stays] = [session.callTool(toCall(POST, {}, { signal })), session.callTool(toCall(POST))];
    expect(await failure(left)).toMatchObject({ code: "CANCELLED", executed: "no" });
    give();
    await stays;
    expect(api.received.map(({ url }) => url)).toEqual(["/token", "/v1/items"]);
  });

  it("fail the call if the API rejects a new token as well", async () => {
    const api = await serve((received, response) =>
      received.url === "/token" ? json({ access_token: "t" })(received, response) : json({}, 401)(received, response),
    );
    const error = await failure((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, api.received.map(({ url }) => url)]).toEqual([
      "UPSTREAM_UNAUTHORIZED",
      ["/token", "/v1/items", "/token", "/v1/items"],
    ]);
  });

  it("are sent in the body if the server rejects the header", async () => {
    const api = await serve((received, response) => {
      if (received.url !== "/token") return json({})(received, response);
      const isInBody = received.body.toString().includes("client_secret=s%3Ac");
      return json(isInBody ? { access_token: "t" } : { error: "invalid_client" }, isInBody ? 200 : 401)(
        received,
        response,
      );
    });
    await (await openTo(api, { auth: authOf(api) })).callTool(toCall(GET));
    expect(api.received.map(({ url }) => url)).toEqual(["/token", "/token", "/v1/items"]);
  });

  it("that are rejected produce an error, and the call is not sent", async () => {
    const api = await serve(json({ error: "invalid_client" }, 401));
    const error = await failure((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, error.executed, error.facts]).toEqual([
      "UPSTREAM_UNAUTHORIZED",
      "no",
      { status: 401, error: "invalid_client" },
    ]);
    expect(api.received.every(({ url }) => url === "/token")).toBe(true);
  });
});
