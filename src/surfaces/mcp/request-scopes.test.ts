import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { overPipes } from "../../../test/support/asking-clients.js";
import { testServer } from "../../../test/support/gateway.js";
import { DiscoveryEngine } from "../../engine.js";

const closings: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

type Entry = Record<string, unknown>;

async function open(policy: object, options: ClientOptions, more: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-scopes-"));
  closings.push(() => rmSync(folder, { recursive: true, force: true }));
  const engine = new DiscoveryEngine(
    { servers: { library: testServer("library.mjs") }, upstreams: { startWaitMs: 30_000 }, policy, ...more },
    { stateFolder: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
  closings.push(() => engine.close());
  const client = new Client({ name: "test", version: "1" }, options);
  const way = overPipes(engine);
  await client.connect(way.transport as Parameters<typeof client.connect>[0]);
  closings.push(() => Promise.all([client.close(), way.hangUp()]));
  /** The audit records of requests other than tool calls. */
  const records = async (): Promise<Entry[]> => {
    const { persistence } = await engine.stages();
    const entries = (await persistence.store.audit.read({})).map(({ body }) => JSON.parse(body) as Entry);
    return entries.filter((one) => String(one["tool_id"]).includes("/"));
  };
  const run = (tool: string, args: object = {}) =>
    client.callTool({ name: "execute_tool", arguments: { server: "library", tool, arguments: args } });
  return { client, records, run };
}

const BOOK = "anygpt://servers/library/book://shelf/1";
const REQUESTS: [string, (client: Client) => Promise<unknown>][] = [
  ["prompts/get", (client) => client.getPrompt({ name: "library__greet", arguments: { who: "ann" } })],
  ["resources/read", (client) => client.readResource({ uri: BOOK })],
  [
    "completion/complete",
    (client) =>
      client.complete({
        ref: { type: "ref/prompt", name: "library__greet" },
        argument: { name: "who", value: "a" },
      }),
  ],
];
const ERAS: [string, ClientOptions][] = [
  ["the handshake", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
];

describe.each(ERAS)("with %s", (_, options) => {
  describe.each([
    ["of its server", { scopes: [{ server: "library", required_scopes: ["library:read"] }] }],
    [
      "of all its tools",
      { scopes: [{ tools: ["touch", "add", "end", "watched"], required_scopes: ["library:read"] }] },
    ],
  ])("a caller without the scope %s", (__, scopes) => {
    it("can neither read nor list prompts and resources, and each attempt is recorded", async () => {
      const { client, records, run } = await open({ ...scopes, localScopes: [] }, options);
      // The tools become known, but the call is refused too.
      await client.callTool({ name: "list_tools", arguments: { server: "library" } });
      expect((await run("watched")).isError).toBe(true);
      for (const [, request] of REQUESTS) {
        await expect(request(client)).rejects.toMatchObject({ data: { code: "SCOPE_REQUIRED" } });
      }
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["discover_mcp"]);
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["anygpt://guide"]);
      const templates = (await client.listResourceTemplates()).resourceTemplates;
      expect(templates.filter(({ uriTemplate }) => uriTemplate.includes("library"))).toEqual([]);
      expect(await records()).toMatchObject(
        REQUESTS.map(([method]) => ({
          tool_id: `library:${method}`,
          actor_id: "local",
          decision: "refused",
          error_code: "SCOPE_REQUIRED",
          params_hash: expect.any(String) as string,
        })),
      );
    });
  });

  it("a caller with the scope reads them, and each request is recorded without its content", async () => {
    const scopes = [{ server: "library", required_scopes: ["library:read"] }];
    const { client, records } = await open({ scopes, localScopes: ["library:read"] }, options);
    for (const [, request] of REQUESTS) await request(client);
    const found = await records();
    expect(found).toMatchObject(
      REQUESTS.map(([method]) => ({ tool_id: `library:${method}`, decision: "allowed", outcome: "ok", risk: "low" })),
    );
    expect(JSON.stringify(found)).not.toContain("shelf");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("library__greet");
  });
});

it("a caller without the scope cannot subscribe to a resource", async () => {
  const scopes = [{ server: "library", required_scopes: ["library:read"] }];
  const { client, records } = await open({ scopes, localScopes: [] }, {});
  await expect(client.subscribeResource({ uri: BOOK })).rejects.toMatchObject({ data: { code: "SCOPE_REQUIRED" } });
  expect(await records()).toMatchObject([{ tool_id: "library:resources/subscribe", decision: "refused" }]);
});

it("a subscription is recorded, and reports updates", async () => {
  const { client, records, run } = await open({}, {});
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  await client.subscribeResource({ uri: BOOK });
  expect(await records()).toMatchObject([{ tool_id: "library:resources/subscribe", outcome: "ok" }]);
  await run("touch", { uri: "book://shelf/1" });
  await eventually(() => updated.includes(BOOK));
});

it("patterns of the policy select single methods, also for rate limits", async () => {
  const policy = {
    scopes: [{ tools: ["library:prompts/*"], required_scopes: ["prompts"] }],
    localScopes: [],
    buckets: { reads: { calls: 1, perSeconds: 3600 } },
    rateLimits: [{ tools: ["library:resources/*"], rate_limit_bucket: "reads" }],
  };
  const { client } = await open(policy, {});
  await expect(client.getPrompt({ name: "library__greet" })).rejects.toMatchObject({
    data: { code: "SCOPE_REQUIRED" },
  });
  expect((await client.readResource({ uri: BOOK })).contents).toHaveLength(2);
  await expect(client.readResource({ uri: BOOK })).rejects.toMatchObject({ data: { code: "RATE_LIMITED" } });
});

it("a request that needs a confirmation is denied", async () => {
  const policy = { risk: [{ tools: ["library:resources/read"], risk: "destructive" }] };
  const { client } = await open(policy, {});
  await expect(client.readResource({ uri: BOOK })).rejects.toMatchObject({ data: { code: "POLICY_DENIED" } });
  expect((await client.getPrompt({ name: "library__greet" })).messages).toHaveLength(1);
});

it("the preset strict allows prompts and resources", async () => {
  const { client } = await open({ preset: "strict", pinning: "off" }, {});
  const answers = await Promise.all(REQUESTS.map(([, request]) => request(client)));
  expect(answers).toHaveLength(REQUESTS.length);
});

it("the record contains the parameters if the audit log records arguments", async () => {
  const { client, records } = await open({}, {}, { audit: { arguments: true } });
  await client.readResource({ uri: BOOK });
  expect(await records()).toMatchObject([{ arguments: { uri: "book://shelf/1" } }]);
});
