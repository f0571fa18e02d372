import { describe, expect, it } from "vitest";
import type { CatalogServer, Snapshot } from "../../catalog/snapshot.js";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { ServerConnection, ServerCapabilities } from "../../model/server.js";
import type { Tool } from "../../model/tool.js";
import type { UpstreamRequest, Upstreams, WantedOffers } from "../../upstreams/types.js";
import { createPromptsAndResources, type PromptsAndResourcesParts } from "./prompts-and-resources.js";

const CONNECTIONS = {
  stdio: { kind: "stdio", command: "x", args: [], env: {} },
  http: { kind: "http", url: "http://127.0.0.1:1/", headers: {} },
  rest: { kind: "rest", document: "/x", headers: {}, uploads: [], operations: [] },
  "built-in": { kind: "built-in" },
} satisfies Record<string, ServerConnection>;

interface Wanted {
  readonly kind?: keyof typeof CONNECTIONS;
  /** For each tool, whether it is enabled. */
  readonly tools?: readonly boolean[];
  readonly capabilities?: ServerCapabilities;
}

function toServer(name: string, { kind = "stdio", tools = [true], capabilities }: Wanted): CatalogServer {
  return {
    definition: { name, connection: CONNECTIONS[kind], manifest: [], origin: "inline" },
    record: {
      server: name,
      fingerprint: "",
      listedAt: 0,
      era: "legacy",
      truncated: false,
      dropped: [],
      tools: [],
      changes: [],
      ...(capabilities && { capabilities }),
    },
    failure: undefined,
    quarantines: new Map(),
    tools: tools.map((enabled, index) => ({ id: `${name}:${index}`, enabled }) as Tool),
  };
}

interface Scene {
  readonly servers: Record<string, Wanted>;
  readonly offers?: Record<string, readonly JsonObject[] | Error | undefined>;
  readonly isTransparent?: boolean;
  readonly admits?: PromptsAndResourcesParts["admits"];
  /** The servers and methods that the caller may not use. */
  readonly closed?: readonly string[];
}

function open({ servers, offers = {}, isTransparent = false, admits = () => true, closed = [] }: Scene) {
  const gated: unknown[] = [];
  const wanted: [string, WantedOffers][] = [];
  const requests: [string, UpstreamRequest][] = [];
  const watched: string[] = [];
  const logged: string[] = [];
  const map = new Map(Object.entries(servers).map(([name, one]) => [name, toServer(name, one)]));
  const snapshot: Snapshot = { servers: map, tools: new Map() };
  const upstreams: Pick<Upstreams, "offers" | "request" | "watch"> = {
    offers(target, one) {
      wanted.push([target.name, one]);
      const found = offers[target.name];
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
    request(target, request) {
      requests.push([target.name, request]);
      return Promise.resolve({ kind: "result", result: {} });
    },
    watch(target, uri) {
      watched.push(`${target.name} ${uri}`);
      return Promise.resolve({ answer: { kind: "result", result: {} }, end: () => undefined });
    },
  };
  const promptsAndResources = createPromptsAndResources({
    actor: { id: "ann", surface: "mcp" },
    gate: {
      permits: ({ actor, server, method }) => {
        expect(actor.id).toBe("ann");
        return !closed.includes(`${server} ${method}`);
      },
      async run({ server, method, params }, send) {
        gated.push([server, method, params]);
        return await send();
      },
    },
    snapshot: () => snapshot,
    refresh: { whenKnown: () => Promise.resolve() },
    upstreams,
    target: (name) => ({ name, connection: () => CONNECTIONS.stdio }),
    admits,
    isTransparent,
    freshMs: 1000,
    timeoutMs: 30_000,
    log: (message) => logged.push(message),
  });
  return { promptsAndResources, wanted, requests, watched, logged, gated };
}

describe("lists", () => {
  it("name prompts by server and name, in at most 64 characters", async () => {
    const long = "x".repeat(80);
    const { promptsAndResources } = open({
      servers: { a: {}, b: {} },
      offers: { a: [{ name: "greet", extra: 1 }], b: [{ name: "greet" }, { name: long }, { name: "with space" }] },
    });
    const names = (await promptsAndResources.list("prompts")).map(({ name }) => String(name));
    expect(names.slice(0, 2)).toEqual(["a__greet", "b__greet"]);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect(await promptsAndResources.list("prompts")).toContainEqual({ name: "a__greet", extra: 1 });
    expect(await Promise.all(names.map((name) => promptsAndResources.prompt(name)))).toMatchObject([
      { server: "a", name: "greet" },
      { server: "b", name: "greet" },
      { server: "b", name: long },
      { server: "b", name: "with space" },
    ]);
  });

  it("prefix the URIs of resources and templates with the server", async () => {
    const { promptsAndResources } = open({
      servers: { a: {} },
      offers: { a: [{ uri: "x:1", uriTemplate: "x:{id}", name: "one" }] },
    });
    expect(await promptsAndResources.list("resources")).toMatchObject([{ uri: "anygpt://servers/a/x:1", name: "one" }]);
    expect(await promptsAndResources.list("templates")).toMatchObject([{ uriTemplate: "anygpt://servers/a/x:{id}" }]);
  });

  it("open connections only to remote servers with the capability", async () => {
    const { promptsAndResources, wanted } = open({
      servers: {
        local: { capabilities: { prompts: true } },
        remote: { kind: "http", capabilities: { prompts: true } },
        other: { kind: "http", capabilities: { resources: true } },
        unknown: { kind: "http" },
        api: { kind: "rest" },
        own: { kind: "built-in" },
      },
    });
    expect(await promptsAndResources.list("prompts")).toEqual([]);
    expect(wanted.map(([server, { mayOpen }]) => [server, mayOpen])).toEqual([
      ["local", false],
      ["remote", true],
      ["other", false],
      ["unknown", false],
    ]);
  });

  it("omit a server that fails, and log the failure", async () => {
    const { promptsAndResources, logged } = open({
      servers: { a: {}, b: {} },
      offers: { a: new DiscoveryError("SERVER_CONNECTION_ERROR", "a is away."), b: [{ name: "greet" }] },
    });
    expect(await promptsAndResources.list("prompts")).toEqual([{ name: "b__greet" }]);
    expect(logged).toEqual(["Cannot list the prompts of a: a is away."]);
  });
});

it("lists nothing of a server that the caller may not read, and asks it for nothing", async () => {
  const { promptsAndResources, wanted } = open({
    servers: { a: {}, b: {} },
    offers: { a: [{ name: "greet", uri: "x:1" }], b: [{ name: "greet", uri: "x:1" }] },
    closed: ["a prompts/list", "b resources/list"],
  });
  expect(await promptsAndResources.list("prompts")).toEqual([{ name: "b__greet", uri: "x:1" }]);
  expect((await promptsAndResources.list("resources")).map(({ uri }) => uri)).toEqual(["anygpt://servers/a/x:1"]);
  expect(wanted.map(([server, { kind }]) => `${server} ${kind}`)).toEqual(["b prompts", "a resources"]);
  expect(promptsAndResources.permits("a", "prompts/list")).toBe(false);
});

describe("a server without enabled tools", () => {
  it.each<[string, Wanted, PromptsAndResourcesParts["admits"]]>([
    ["because all its tools are disabled", { tools: [false, false] }, () => true],
    ["because it has no tools and the rules disable the server", { tools: [] }, (server) => server !== "hidden"],
  ])("has no prompts and resources, %s", async (_, hidden, admits) => {
    const { promptsAndResources, wanted } = open({
      servers: { hidden, shown: { tools: [false, true] }, empty: { tools: [] } },
      offers: { hidden: [{ name: "greet" }], shown: [{ name: "greet" }], empty: [{ name: "greet" }] },
      admits,
    });
    expect(await promptsAndResources.list("prompts")).toEqual([{ name: "shown__greet" }, { name: "empty__greet" }]);
    expect(await promptsAndResources.prompt("hidden__greet")).toBeUndefined();
    expect(promptsAndResources.resource("anygpt://servers/hidden/x:1")).toBeUndefined();
    expect(wanted.map(([server]) => server)).not.toContain("hidden");
  });
});

describe("a single server in full mode", () => {
  const scene: Scene = {
    servers: { only: {}, own: { kind: "built-in" } },
    offers: { only: [{ name: "greet", uri: "x:1" }] },
    isTransparent: true,
  };

  it("keeps its names and URIs, and is started by a list request", async () => {
    const { promptsAndResources, wanted } = open(scene);
    expect(promptsAndResources.only).toBe("only");
    expect(await promptsAndResources.list("prompts")).toEqual([{ name: "greet", uri: "x:1" }]);
    expect(wanted).toEqual([["only", { kind: "prompts", freshMs: 1000, mayOpen: true }]]);
    expect(await promptsAndResources.prompt("any name at all")).toEqual({ server: "only", name: "any name at all" });
    expect(promptsAndResources.resource("x:1")).toEqual({ server: "only", uri: "x:1" });
    expect(promptsAndResources.nameOf({ server: "only", uri: "x:1" })).toBe("x:1");
  });

  it.each<[string, Scene]>([
    ["in lazy mode", { ...scene, isTransparent: false }],
    ["with another server", { ...scene, servers: { only: {}, other: {} } }],
  ])("gets prefixed names %s", (_, other) => {
    const { promptsAndResources } = open(other);
    expect(promptsAndResources.only).toBeUndefined();
    expect(promptsAndResources.resource("x:1")).toBeUndefined();
    expect(promptsAndResources.nameOf({ server: "only", uri: "x:1" })).toBe("anygpt://servers/only/x:1");
  });
});

it("sends requests to their server with the actor and the timeout of calls", async () => {
  const { promptsAndResources, requests, watched, logged, gated } = open({ servers: { a: {} } });
  await promptsAndResources.request("a", { method: "prompts/get", params: { name: "x" } });
  await promptsAndResources.watch({ server: "a", uri: "x:1" }, () => undefined);
  expect(requests).toEqual([
    ["a", { method: "prompts/get", params: { name: "x" }, actorId: "ann", timeoutMs: 30_000 }],
  ]);
  expect(watched).toEqual(["a x:1"]);
  expect(gated).toEqual([
    ["a", "prompts/get", { name: "x" }],
    ["a", "resources/subscribe", { uri: "x:1" }],
  ]);
  expect(logged).toEqual(["Forwarding prompts/get to a."]);
});

it.each<[string, string | undefined]>([
  ["a__greet", "greet"],
  ["a__greet__more", "greet__more"],
  ["", undefined],
  ["__", undefined],
  ["a__", undefined],
  ["greet", undefined],
  ["none__greet", undefined],
])("resolves the name %j to the prompt %j", async (name, prompt) => {
  const { promptsAndResources } = open({ servers: { a: {} }, offers: { a: [{ name: "greet" }] } });
  expect((await promptsAndResources.prompt(name))?.name).toBe(prompt);
});
