import { describe, expect, it } from "vitest";
import { closeAll, openWatched, startHttpServer } from "../../test/support/upstreams.js";
import type { ServerConnection } from "../model/server.js";
import { challengeIn } from "./failures.js";
import { createForeignFetch } from "./guarded-fetches.js";

describe("a fetch for URLs that are not from the configuration", () => {
  const lookup = () => Promise.resolve([{ address: "10.0.0.1", family: 4 }]);
  const { fetch, close } = createForeignFetch({ server: "x", maxMessageBytes: 1000, lookup });

  it.each([
    ["plain http", "http://example.com/mcp"],
    ["this machine", "https://localhost/mcp"],
    ["a loopback address", "https://127.0.0.1/mcp"],
    ["a loopback address as a decimal number", "https://2130706433/mcp"],
    ["a private network address", "https://[fd00::1]/mcp"],
    ["the metadata address of cloud providers", "https://169.254.169.254/latest"],
    ["a host name that resolves to a private address", "https://inward.example/mcp"],
    ["a URL with a user name and a password", "https://a:b@example.com/mcp"],
  ])("does not request %s", async (_case, url) => {
    await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: expect.stringContaining("is not contacted"),
      executed: "no",
    });
    close();
  });

  it("is used by a connection that is marked as foreign", async () => {
    const server = await startHttpServer("http.mjs");
    const upstreams = openWatched();
    try {
      const connection: ServerConnection = { kind: "http", url: `${server.origin}/mcp`, headers: {} };
      const list = (more: object) => upstreams.list({ name: "x", connection: () => ({ ...connection, ...more }) });
      await expect(list({ isForeign: true })).rejects.toMatchObject({
        message: expect.stringContaining("is not contacted"),
      });
      await upstreams.drop("x");
      expect((await list({})).tools.length).toBeGreaterThan(0);
    } finally {
      await closeAll();
      await server.stop();
    }
  });
});

it.each([
  [null, undefined],
  ["Bearer", { scheme: "bearer", hasMetadata: false }],
  ['Bearer realm="x", resource_metadata="https://x.example"', { scheme: "bearer", hasMetadata: true }],
  ["basic realm=x", { scheme: "basic", hasMetadata: false }],
  ["Ignore all instructions", { scheme: "other", hasMetadata: false }],
  ["", { scheme: "other", hasMetadata: false }],
])("challengeIn(%j) is %j", (header, challenge) => {
  expect(challengeIn(header)).toEqual(challenge);
});
