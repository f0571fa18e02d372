import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { connectGateway, createHome, type Gateway, type Home, npmServer, testServer } from "../support/gateway.js";

let home: Home;
let gateway: Gateway;
afterEach(async () => {
  await gateway.close();
  home.remove();
});

const MODERN: ClientOptions = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const ERAS: [string, ClientOptions][] = [
  ["the handshake", {}],
  ["2026-07-28", MODERN],
];

async function open(config: object, options: ClientOptions = {}): Promise<Client> {
  home = createHome(config);
  gateway = await connectGateway(home, options);
  return gateway.client;
}

const everything = { everything: npmServer("everything") };
const run = (server: string, tool: string, args: object = {}) =>
  gateway.call("execute_tool", { server, tool, arguments: args });

/** A complete list without the built-in prompt. */
async function listAll(client: Client, list: "prompts" | "resources" | "templates"): Promise<string[]> {
  if (list === "prompts") {
    const { prompts } = await client.listPrompts();
    return prompts.map(({ name }) => name).filter((name) => name !== "discover_mcp");
  }
  if (list === "resources") return (await client.listResources()).resources.map(({ uri }) => uri);
  return (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
}

describe.each(ERAS)("prompts and resources of a server, with %s", (_, options) => {
  it("are listed once the server runs; listing does not start it", async () => {
    const client = await open({ servers: everything }, options);
    await gateway.call("list_tools", { server: "everything" });
    expect(await listAll(client, "prompts")).toEqual([]);
    expect(await listAll(client, "resources")).toEqual(["anygpt://guide"]);
    await run("everything", "echo", { message: "hi" });
    await eventually(async () => (await listAll(client, "prompts")).length > 0);
    expect(await listAll(client, "prompts")).toContain("everything__simple-prompt");
    const features = "anygpt://servers/everything/demo://resource/static/document/features.md";
    await eventually(async () => (await listAll(client, "resources")).includes(features));
    expect(await listAll(client, "templates")).toEqual([
      "anygpt://tools/{server}/{tool}",
      "anygpt://results/{id}/{page}",
      "anygpt://servers/{server}/{+uri}",
      "anygpt://servers/everything/demo://resource/dynamic/text/{resourceId}",
      "anygpt://servers/everything/demo://resource/dynamic/blob/{resourceId}",
    ]);
  });

  it("are read by the listed names, which starts the server", async () => {
    const client = await open({ servers: everything }, options);
    const prompt = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Oslo" } });
    expect(prompt.messages).toEqual([{ role: "user", content: { type: "text", text: "What's weather in Oslo?" } }]);
    const uri = "anygpt://servers/everything/demo://resource/dynamic/text/7";
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: expect.stringContaining("Resource 7") as string }]);
    const escaped = "anygpt://servers/everything/demo%3A%2F%2Fresource%2Fdynamic%2Ftext%2F7";
    expect((await client.readResource({ uri: escaped })).contents).toMatchObject([{ uri: escaped }]);
  });

  it("support completion", async () => {
    const client = await open({ servers: everything }, options);
    const byPrompt = await client.complete({
      ref: { type: "ref/prompt", name: "everything__completable-prompt" },
      argument: { name: "name", value: "A" },
      context: { arguments: { department: "Engineering" } },
    });
    expect(byPrompt.completion.values).toEqual(["Alice"]);
    const byTemplate = await client.complete({
      ref: { type: "ref/resource", uri: "anygpt://servers/everything/demo://resource/dynamic/text/{resourceId}" },
      argument: { name: "resourceId", value: "12" },
    });
    expect(byTemplate.completion.values).toEqual(["12"]);
    const own = await client.complete({
      ref: { type: "ref/resource", uri: "anygpt://tools/{server}/{tool}" },
      argument: { name: "server", value: "" },
    });
    expect(own.completion.values).toEqual([]);
  });

  it("keep their original names with one server in full mode", async () => {
    const client = await open({ servers: everything, mode: "full" }, options);
    expect(await listAll(client, "prompts")).toContain("simple-prompt");
    expect(await listAll(client, "resources")).toContain("demo://resource/static/document/features.md");
    expect(await listAll(client, "templates")).toContain("demo://resource/dynamic/text/{resourceId}");
    const uri = "demo://resource/dynamic/blob/3";
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, mimeType: "text/plain" }]);
    const { messages } = await client.getPrompt({ name: "simple-prompt" });
    expect(messages).toHaveLength(1);
    expect((await client.readResource({ uri: "anygpt://guide" })).contents).toHaveLength(1);
  });
});

async function subscribe(client: Client, uri: string, options: ClientOptions): Promise<() => Promise<unknown>> {
  if (options !== MODERN) {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  }
  const stream = await client.listen({ resourceSubscriptions: [uri] });
  return () => stream.close();
}

describe.each(ERAS)("updates of a resource, with %s", (_, options) => {
  it.each([
    ["a legacy server", everything, "demo://resource/dynamic/text/1", ["toggle-subscriber-updates", {}]],
    [
      "a modern server",
      { everything: testServer("library.mjs") },
      "book://shelf/1",
      ["touch", { uri: "book://shelf/1" }],
    ],
  ] as const)("are sent with the URI that the client knows, from %s", async (_name, servers, theirs, [tool, args]) => {
    const client = await open({ servers }, options);
    const updates: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updates.push(params.uri));
    const uri = `anygpt://servers/everything/${theirs}`;
    await subscribe(client, uri, options);
    // The gateway acknowledges a stream before it subscribes at the server.
    await eventually(async () => {
      await run("everything", tool, args);
      return updates.length > 0;
    });
    expect(new Set(updates)).toEqual(new Set([uri]));
  });

  it("stop when the last client unsubscribes", async () => {
    const client = await open({ servers: { library: testServer("library.mjs") } }, options);
    const updates: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updates.push(params.uri));
    const uri = (name: string) => `anygpt://servers/library/${name}`;
    const end = await subscribe(client, uri("book://shelf/1"), options);
    await subscribe(client, uri("book://shelf/2"), options);
    const touch = async (name: string) => (await run("library", "touch", { uri: name })).text;
    await eventually(async () => (await touch("book://shelf/1"), updates.includes(uri("book://shelf/1"))));
    await eventually(async () => (await touch("book://shelf/2"), updates.includes(uri("book://shelf/2"))));
    await end();
    updates.length = 0;
    await touch("book://shelf/1");
    await eventually(async () => (await touch("book://shelf/2"), updates.includes(uri("book://shelf/2"))));
    expect(updates).not.toContain(uri("book://shelf/1"));
  });
});

describe("many servers", () => {
  const library = testServer("library.mjs");

  it("are distinguished in both protocol eras, page by page", async () => {
    const client = await open({ servers: { library, everything: npmServer("everything") } });
    for (const [server, tool] of [
      ["library", "add"],
      ["everything", "get-tiny-image"],
    ] as const)
      await run(server, tool);
    await eventually(async () => (await listAll(client, "prompts")).length >= 8);
    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["library__greet", "library__part", "everything__args-prompt"]));
    expect(names.every((name) => name.length <= 64)).toBe(true);
    const long = names.find((name) => name.startsWith("library__a-name"));
    const { messages } = await client.getPrompt({ name: String(long), arguments: { who: "you" } });
    expect(JSON.stringify(messages)).toContain("a name with spaces");
    expect(await listAll(client, "resources")).toEqual(
      expect.arrayContaining(["anygpt://servers/library/book://shelf/1", "anygpt://servers/library/plain"]),
    );
    expect((await client.readResource({ uri: "anygpt://servers/library/plain" })).contents).toEqual([
      { uri: "anygpt://servers/library/plain", text: "Text of plain" },
      { uri: "anygpt://servers/library/book://cover", text: "" },
    ]);
  });

  it("are not started by any number of lists", async () => {
    home = createHome({});
    const logs = Array.from({ length: 12 }, (_, index) => join(home.folder, `started-${index}`));
    const servers = Object.fromEntries(logs.map((log, index) => [`s${index}`, testServer("library.mjs", log)]));
    const { writeFileSync } = await import("node:fs");
    writeFileSync(home.config, JSON.stringify({ servers }));
    gateway = await connectGateway(home);
    const started = () =>
      logs.flatMap((log) => (existsSync(log) ? readFileSync(log, "utf8").match(/started/g) : [])).length;
    await eventually(
      async () => !JSON.stringify((await gateway.call("list_mcp_servers", {})).json()).includes("pending"),
    );
    const before = started();
    for (let times = 0; times < 3; times++) {
      expect(await listAll(gateway.client, "prompts")).toEqual([]);
      await listAll(gateway.client, "resources");
    }
    expect(started()).toBe(before);
  });

  it("hide prompts and resources if all tools are disabled", async () => {
    const toolRules = [{ server: "hidden", pattern: "*", enabled: false }];
    const client = await open({ servers: { shown: library, hidden: library }, toolRules });
    await run("shown", "add");
    await eventually(async () => (await listAll(client, "prompts")).length > 0);
    expect((await listAll(client, "prompts")).filter((name) => name.startsWith("hidden"))).toEqual([]);
    const uri = "anygpt://servers/hidden/book://shelf/1";
    await expect(client.readResource({ uri })).rejects.toThrow("No such resource");
    await expect(client.getPrompt({ name: "hidden__greet" })).rejects.toThrow("No prompt is named");
    await expect(client.subscribeResource({ uri })).rejects.toThrow("No such resource");
  });

  it("notify of changed prompts, and the next list has them", async () => {
    const client = await open({ servers: { library } });
    await run("library", "touch", { uri: "plain" });
    await eventually(async () => (await listAll(client, "prompts")).includes("library__greet"));
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/prompts/list_changed", () => resolve());
    });
    await run("library", "add");
    await changed;
    expect(await listAll(client, "prompts")).toContain("library__added");
  });

  it("return their own errors; unknown names get a not-found error", async () => {
    const client = await open({ servers: { library } });
    await expect(client.getPrompt({ name: "library__missing" })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("No missing here") as string,
      data: { asked: "missing" },
    });
    await expect(client.getPrompt({ name: "nobody__greet" })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: "book://shelf/1" })).rejects.toThrow("No such resource");
    await expect(client.listPrompts({ cursor: "x" })).rejects.toMatchObject({ code: -32_602 });
  });
});

describe("protocol revision 2026-07-28", () => {
  it("reports the available features and the time to live of lists", async () => {
    const client = await open({ servers: { library: testServer("library.mjs") } }, MODERN);
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
    const raw = async (method: string) => (await client.request({ method, params: {} } as never)) as object;
    expect(await raw("tools/list")).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
    expect(await raw("prompts/list")).toMatchObject({ ttlMs: 1_000, cacheScope: "private" });
  });
});
