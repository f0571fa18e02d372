import { describe, expect, it } from "vitest";
import { closeAll, openWatched, startHttpServer } from "../../test/support/upstreams.js";
import type { Connection } from "../model/server.js";
import { challengeIn } from "./failures.js";
import { createForeignFetch } from "./guarded-fetches.js";

describe("a fetch for addresses that no person wrote down", () => {
  const lookup = () => Promise.resolve([{ address: "10.0.0.1", family: 4 }]);
  const { fetch, close } = createForeignFetch({ server: "x", maxMessageBytes: 1000, lookup });

  it.each([
    ["plain http", "http://example.com/mcp"],
    ["this machine", "https://localhost/mcp"],
    ["an address of this machine", "https://127.0.0.1/mcp"],
    ["one in digits of its own", "https://2130706433/mcp"],
    ["a neighbour", "https://[fd00::1]/mcp"],
    ["where clouds keep credentials", "https://169.254.169.254/latest"],
    ["a name that leads inward", "https://inward.example/mcp"],
    ["a name and a password", "https://a:b@example.com/mcp"],
  ])("does not ask %s", async (_case, url) => {
    await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: expect.stringContaining("is not asked"),
      executed: "no",
    });
    close();
  });

  it("is what a foreign connection is opened with", async () => {
    const server = await startHttpServer("http.mjs");
    const upstreams = openWatched();
    try {
      const connection: Connection = { kind: "http", url: `${server.origin}/mcp`, headers: {} };
      const list = (more: object) => upstreams.list({ name: "x", connection: () => ({ ...connection, ...more }) });
      await expect(list({ isForeign: true })).rejects.toMatchObject({
        message: expect.stringContaining("is not asked"),
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
