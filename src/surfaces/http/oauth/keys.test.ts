import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../../../../test/support/gateway.js";
import { type Issuer, openIssuer } from "../../../../test/support/issuer.js";
import { openRest, PATIENT, type Rest } from "../../../../test/support/rest.js";
import { oauthOptions } from "./options.js";

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

describe("the keys of the issuer", () => {
  it("are fetched once for fifty concurrent requests, which get 503 if the fetch fails", async () => {
    const own = await openIssuer();
    const at = await open({ issuer: own.url });
    const token = await own.sign({ ...claims(), iss: own.url });
    own.answer = () => ({ status: 503, body: "" });
    const down = await Promise.all(Array.from({ length: 50 }, () => ask(token, "/api/adapters", at)));
    expect(new Set(down.map(({ status }) => status))).toEqual(new Set([503]));
    expect([...own.asked.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3);
    await own.close();
    const healthy = await openIssuer();
    const fine = await open({ issuer: healthy.url, jwksUri: `${healthy.url}/jwks` });
    const good = await healthy.sign({ ...claims(), iss: healthy.url });
    const all = await Promise.all(Array.from({ length: 50 }, () => ask(good, "/api/adapters", fine)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect([...healthy.asked]).toEqual([["/jwks", 1]]);
    await healthy.close();
  });

  it.each<[string, (own: Issuer) => Issuer["answer"]]>([
    [
      "metadata of another issuer",
      (own) => (incoming) => {
        const body = JSON.stringify({ issuer: `${own.url}/other`, jwks_uri: `${own.url}/jwks` });
        return incoming.url === "/jwks" ? undefined : { status: 200, body };
      },
    ],
    ["metadata with a redirect", (own) => () => ({ status: 302, body: "", headers: { location: `${own.url}/jwks` } })],
    ["metadata that is not JSON", () => () => ({ status: 200, body: "<html>" })],
    [
      "metadata with an internal address",
      (own) => () => ({
        status: 200,
        body: JSON.stringify({ issuer: own.url, jwks_uri: "http://169.254.169.254/keys" }),
      }),
    ],
    [
      "metadata with another port of this machine",
      (own) => () => ({ status: 200, body: JSON.stringify({ issuer: own.url, jwks_uri: `${issuer.url}/jwks` }) }),
    ],
    [
      "metadata with a file URL",
      (own) => () => ({ status: 200, body: JSON.stringify({ issuer: own.url, jwks_uri: "file:///etc/passwd" }) }),
    ],
    [
      "keys that are not JSON",
      () =>
        ({ url }) =>
          url === "/jwks" ? { status: 200, body: "{" } : undefined,
    ],
    [
      "an invalid key set",
      () =>
        ({ url }) =>
          url === "/jwks" ? { status: 200, body: '{"keys":7}' } : undefined,
    ],
    [
      "a key set of 2 MiB",
      () =>
        ({ url }) =>
          url === "/jwks" ? { status: 200, body: " ".repeat(2 ** 21) } : undefined,
    ],
  ])("are not loaded from %s, and callers get 503", async (_, answer) => {
    const own = await openIssuer();
    own.answer = answer(own);
    const at = await open({ issuer: own.url });
    const before = issuer.asked.get("/jwks");
    const { status, headers } = await ask(await own.sign({ ...claims(), iss: own.url }), "/api/adapters", at);
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    expect(issuer.asked.get("/jwks")).toBe(before);
    expect(at.logged.join("\n")).toContain(`The keys of ${own.url} could not be fetched`);
    await own.close();
  });
});
