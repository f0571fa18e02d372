import { monitored } from "../../../test/support/message-monitor.js";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectGarbage } from "../../../test/support/garbage.js";
import { failure } from "../../../test/support/failure.js";
import { openSignInPlace, type SignInPlace } from "../../../test/support/sign-in.js";
import { createStore, storeFile } from "../../store/create-store.js";
import { createCappedFetch } from "../capped-fetch.js";
import type { SignIn } from "./sign-in.js";

let place: SignInPlace;
beforeEach(async () => {
  place = await openSignInPlace();
});
afterEach(() => place.close());

const find = (signIns = place.signIns(), actor = "local"): SignIn =>
  signIns({ server: "remote", connection: place.connection, actor })!;

/** Sends one request in the same way as the transport. */
function post(signIn: SignIn, tool = "whoami"): Promise<number> {
  const fetch = createCappedFetch({
    server: "remote",
    maxMessageBytes: 1024 * 1024,
    ...monitored("remote"),
    onFailure: () => undefined,
    signed: { signIn, origin: place.server.origin },
  });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool } });
  return fetch(place.server.url, { method: "POST", body }).then(async (response) => {
    await response.text();
    return response.status;
  });
}

const stored = () => place.store.credentials.find(place.holding());

describe("a request to a server that requires a sign-in", () => {
  it("names the sign-in command if the actor has not signed in", async () => {
    expect(await failure(post(find()))).toMatchObject({
      code: "UPSTREAM_UNAUTHORIZED",
      message: "remote requires a sign-in (HTTP 401).",
      hint: "Run `anygpt mcp auth login remote` in a terminal to sign in to remote.",
      executed: "no",
    });
    expect(place.authorization.requests).toEqual([]);
  });

  it("carries the token of the signed-in actor only", async () => {
    await place.login();
    const signIns = place.signIns();
    expect(await post(find(signIns))).toBe(200);
    expect((await failure(post(find(signIns, "another actor")))).hint).toBe(
      'Run `anygpt mcp auth login remote --actor "another actor"` in a terminal to sign in to remote.',
    );
    expect(place.server.received.at(-1)?.authorization).toBeUndefined();
    await place.login({ actor: "another actor" });
    expect(await post(find(signIns, "another actor"))).toBe(200);
  });

  it("uses a sign-in that was completed after the first rejection", async () => {
    const signIn = find();
    await failure(post(signIn));
    await place.login();
    expect(await post(signIn)).toBe(200);
  });

  it("carries no token to another URL than the one that was signed in to", async () => {
    await place.login();
    const otherUrl = { ...place.connection, url: `${place.server.origin}/other` };
    expect(await place.signIns()({ server: "remote", connection: otherUrl, actor: "local" })?.token()).toBeUndefined();
    const token = (): Promise<string> => Promise.resolve("t");
    const signIn = { actor: "local", token, another: token, noteAgain: () => undefined };
    const parts = { server: "remote", maxMessageBytes: 1024, onFailure: () => undefined };
    const fetch = createCappedFetch({
      ...parts,
      ...monitored("remote"),
      signed: { signIn, origin: "http://127.0.0.1:1" },
    });
    await failure(fetch(place.server.url, { method: "POST", body: "{}" }));
    expect(place.server.received.at(-1)?.authorization).toBeUndefined();
  });

  it("is not signed if the configuration has an Authorization header", () => {
    const connection = { ...place.connection, headers: { AUTHORIZATION: "Bearer mine" } };
    expect(place.signIns()({ server: "remote", connection, actor: "local" })).toBeUndefined();
  });

  it("names the scope that a call needs", async () => {
    await place.login();
    expect(await failure(post(find(), "purge"))).toMatchObject({
      code: "UPSTREAM_UNAUTHORIZED",
      message: "remote requires the scope files:purge for this call (HTTP 403).",
      hint: "Run `anygpt mcp auth login remote --scope files:purge` in a terminal to sign in to remote.",
      executed: "no",
    });
  });

  it.each([
    ["`rm -rf /`", "Run `anygpt mcp auth login remote` in a terminal to sign in to remote."],
    ["$(reboot)", "Run `anygpt mcp auth login remote` in a terminal to sign in to remote."],
    ["a b", 'Run `anygpt mcp auth login remote --scope "a b"` in a terminal to sign in to remote.'],
  ])("does not repeat a scope like %s unless it can be typed", async (scope, hint) => {
    await place.login();
    place.server.challenge = () => `Bearer error="insufficient_scope", scope="${scope}"`;
    expect((await failure(post(find(), "purge"))).hint).toBe(hint);
  });
});

describe("a sign-in", () => {
  it("is shared by all its users and can be garbage-collected after the last use", async () => {
    await place.login();
    const signIns = place.signIns();
    const use = async (): Promise<WeakRef<SignIn>> => {
      const signIn = find(signIns);
      expect(find(signIns)).toBe(signIn);
      expect(await post(signIn)).toBe(200);
      return new WeakRef(signIn);
    };
    const used = await use();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(used.deref()).toBeUndefined();
    expect(await post(find(signIns))).toBe(200);
  });
});

it("registers the token of an open connection for redaction again at intervals", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { accessToken } = await place.login();
    const noted: string[] = [];
    const signIn = find(place.signIns({ noteSecret: (secret) => void noted.push(secret) }));
    expect(await post(signIn)).toBe(200);
    expect(noted).toContain(accessToken);
    noted.length = 0;
    vi.advanceTimersByTime(3_000_000);
    expect(noted).toContain(accessToken);
    expect(await post(signIn)).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

describe("a token", () => {
  it("is renewed once before it expires, and the new refresh token replaces the old one", async () => {
    await place.login();
    const signIn = find();
    for (let round = 1; round < 4; round++) {
      place.clock.offsetMs += 3_590_000;
      expect(await Promise.all([post(signIn), post(signIn)])).toEqual([200, 200]);
      expect(place.authorization.refreshes()).toBe(round);
    }
    expect(place.server.refusals()).toBe(1);
  });

  it("with a revoked grant leads to the sign-in command, and the renewal is not repeated", async () => {
    await place.login();
    place.authorization.endGrants();
    const signIn = find();
    expect(await failure(post(signIn))).toMatchObject({
      message: "remote no longer accepts the sign-in (HTTP 401).",
      hint: "Run `anygpt mcp auth login remote` in a terminal to sign in to remote.",
    });
    expect(await stored()).toMatchObject({ isRefused: true });
    await failure(post(signIn));
    expect(place.authorization.refreshes()).toBe(1);
    await place.login();
    expect(await post(signIn)).toBe(200);
  });

  it("that is rejected is renewed once, and the request is sent once more", async () => {
    await place.login();
    const signIn = find();
    place.authorization.endAccessTokens();
    const before = place.server.received.length;
    expect(await post(signIn)).toBe(200);
    expect([place.authorization.refreshes(), place.server.received.length - before]).toEqual([1, 2]);
  });

  it("that is rejected although it is new fails the call after one renewal", async () => {
    await place.login();
    const signIn = find();
    const before = place.server.received.length;
    place.authorization.switches.lifeSeconds = 0.000001;
    place.authorization.endAccessTokens();
    expect((await failure(post(signIn))).code).toBe("UPSTREAM_UNAUTHORIZED");
    expect([place.authorization.refreshes(), place.server.received.length - before]).toEqual([1, 2]);
  });

  it("for another audience is rejected by the server after one renewal", async () => {
    place.server.description = (honest) => ({ ...honest, resource: place.server.origin });
    const { resource } = await place.login();
    expect(resource).toBe(place.server.origin);
    expect((await failure(post(find()))).message).toBe("remote no longer accepts the sign-in (HTTP 401).");
    expect(place.authorization.refreshes()).toBe(1);
  });

  it("stays stored if the authorization server fails, and the next call tries again", async () => {
    await place.login();
    const signIn = find();
    place.authorization.endAccessTokens();
    place.authorization.switches.intercept = (path, response) => {
      if (path === "/token") response.writeHead(503).end();
      return path === "/token";
    };
    expect(await failure(post(signIn))).toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: "The sign-in to remote could not be renewed: its authorization server answered with HTTP 503.",
    });
    expect(await stored()).toMatchObject({ isRefused: false });
    place.authorization.switches.intercept = undefined;
    expect(await post(signIn)).toBe(200);
  });

  it("that is about to expire is still used if it cannot be renewed", async () => {
    await place.login();
    const signIn = find();
    place.clock.offsetMs = 3_590_000;
    place.authorization.switches.intercept = (path, response) => {
      if (path === "/token") response.destroy();
      return path === "/token";
    };
    expect(await post(signIn)).toBe(200);
  });

  it("is not used after a sign-out in another process", async () => {
    await place.login();
    const signIn = find();
    expect(await post(signIn)).toBe(200);
    await place.store.credentials.remove(place.holding());
    place.clock.offsetMs = 1000;
    expect((await failure(post(signIn))).message).toBe("remote requires a sign-in (HTTP 401).");
  });

  it("request is never redirected", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    const seen: string[] = [];
    place.authorization.switches.intercept = (path, response) => {
      seen.push(path);
      if (path === "/token") response.writeHead(307, { location: "/stolen" }).end();
      return path === "/token";
    };
    expect((await failure(post(find()))).code).toBe("SERVER_CONNECTION_ERROR");
    expect(seen).toEqual(["/token"]);
  });
});

describe("a renewal", () => {
  it("happens once for 50 requests that are rejected at the same time, and all of them succeed", async () => {
    await place.login();
    const { credentials } = place.store;
    let claims = 0;
    const claim: typeof credentials.claim = (...args) => {
      claims += 1;
      return credentials.claim(...args);
    };
    const signIn = find(place.signIns({ store: () => ({ ...credentials, claim }) }));
    expect(await post(signIn)).toBe(200);
    place.authorization.endAccessTokens();
    place.server.holdRefusals(50);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(signIn)));
    expect(answers).toEqual(Array.from({ length: 50 }, () => 200));
    expect([place.authorization.refreshes(), claims]).toEqual([1, 1]);
  });

  it("that is refused is tried once, even if many gateways wait for it", async () => {
    await place.login();
    place.authorization.endGrants();
    place.server.holdRefusals(3);
    // Each object has its own memory, as separate processes have.
    const errors = await Promise.all([find(), find(), find()].map((signIn) => failure(post(signIn))));
    expect(errors.map(({ code }) => code)).toEqual(Array.from({ length: 3 }, () => "UPSTREAM_UNAUTHORIZED"));
    expect(place.authorization.refreshes()).toBe(1);
    expect(await stored()).toMatchObject({ isRefused: true });
  });

  it("continues when one of its waiting callers aborts", async () => {
    await place.login();
    const signIn = find();
    place.authorization.endAccessTokens();
    const controller = new AbortController();
    place.authorization.switches.beforeRefresh = () => {
      controller.abort();
      return Promise.resolve(true);
    };
    const parts = { server: "remote", maxMessageBytes: 1024, onFailure: () => undefined };
    const fetch = createCappedFetch({
      ...parts,
      ...monitored("remote"),
      signed: { signIn, origin: place.server.origin },
    });
    const aborted = fetch(place.server.url, { method: "POST", body: "{}", signal: controller.signal });
    const waiting = post(signIn);
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    expect(await waiting).toBe(200);
    expect(place.authorization.refreshes()).toBe(1);
  });

  it("uses the issuer of the token, even if the server now names another", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    place.server.description = () => ({ resource: place.server.url, authorization_servers: ["https://evil.example"] });
    place.server.challenge = () => 'Bearer resource_metadata="https://evil.example/metadata"';
    expect(await post(find())).toBe(200);
    expect(place.authorization.refreshes()).toBe(1);
  });

  it("whose claim has expired uses the other process's result and deletes nothing", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    const slow = find();
    const quick = find();
    place.authorization.switches.onReuse = "refuse";
    // The first renewal is suspended for longer than its claim lasts; the second one renews meanwhile.
    let isFirst = true;
    place.authorization.switches.beforeRefresh = async () => {
      if (!isFirst) return true;
      isFirst = false;
      place.clock.offsetMs += 60_000;
      expect(await post(quick)).toBe(200);
      return true;
    };
    expect(await post(slow)).toBe(200);
    expect(place.authorization.refreshes()).toBe(2);
    expect(await stored()).toMatchObject({ isRefused: false });
  });

  it("does not restore a sign-in that was removed meanwhile", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    place.authorization.switches.beforeRefresh = async () =>
      (await place.store.credentials.remove(place.holding())) !== undefined;
    expect((await failure(post(find()))).code).toBe("UPSTREAM_UNAUTHORIZED");
    expect(await stored()).toBeUndefined();
  });
});

describe("the stored credential", () => {
  it("contains no readable token in any file", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    expect(await post(find())).toBe(200);
    const { secrets } = place.authorization;
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    const files = (await readdir(place.folder, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    for (const file of files) {
      const bytes = (await readFile(join(file.parentPath, file.name))).toString("latin1");
      expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    }
    expect(files.map(({ name }) => name)).toContain("credentials.key");
  });

  it("cannot be decrypted for another server, actor or issuer, and is not deleted then", async () => {
    await place.login();
    const credential = (await stored())!;
    for (const change of [{ actor: "b" }, { server: "other" }, { issuer: "https://evil.example" }]) {
      await place.store.credentials.save({ ...credential, now: 1, ...change });
    }
    const signIns = place.signIns();
    expect(await find(signIns, "b").token()).toBeUndefined();
    expect(await find(signIns).token()).toBeUndefined();
    expect(await stored()).toBeDefined();
  });

  it("can be read by a gateway that starts later", async () => {
    await place.login();
    const store = createStore({ file: storeFile(place.folder), inline: true });
    expect(await post(find(place.signIns({ store: () => store.credentials })))).toBe(200);
    await store.close();
  });
});
