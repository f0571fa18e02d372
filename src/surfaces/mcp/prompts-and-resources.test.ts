import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { testServer } from "../../../test/support/gateway.js";
import { toCall } from "../../../test/support/upstreams.js";
import { DiscoveryEngine } from "../../engine.js";
import { type PromptAndResourceMethods, createPromptAndResourceMethods } from "./prompts-and-resources.js";

let folder: string;
let engine: DiscoveryEngine;
let methods: PromptAndResourceMethods;
let notified: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "prompts-"));
  const servers = { seen: testServer("library.mjs"), hidden: testServer("library.mjs") };
  engine = new DiscoveryEngine(
    { servers, policy: { views: { clerk: { servers: ["seen"] } } } },
    { stateFolder: join(folder, "state"), cwd: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
  notified = [];
  const notifications = {
    promptsChanged: () => void notified.push("prompts"),
    resourcesChanged: () => void notified.push("resources"),
    resourceUpdated: (uri: string) => void notified.push(uri),
  };
  const actor = { id: "clerk", surface: "http", view: "clerk" } as const;
  const stages = async () => (await engine.known()).scopedView({ view: "clerk" });
  methods = createPromptAndResourceMethods(notifications, { era: "legacy", actor, stages });
});
afterEach(async () => {
  methods.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (method: string, params: object = {}) => await methods.handle(method, { ...params });
const call = async (server: string, tool: string, args: object = {}) => {
  const { upstreams, resolveConnection } = await engine.known();
  await upstreams.call(resolveConnection(server), toCall(tool, { ...args }));
};
const uri = (server: string, theirs = "book://shelf/1") => `anygpt://servers/${server}/${theirs}`;

it("serves the resources of the caller's view, and answers for hidden ones as for ones that do not exist", async () => {
  expect(await ask("resources/read", { uri: uri("seen") })).toMatchObject({ contents: [{ uri: uri("seen") }, {}] });
  const refusal = (params: object, method = "resources/read") =>
    ask(method, params).then(
      () => "none",
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
  const unknown = await refusal({ uri: uri("none") });
  expect(unknown).toContain("No such resource.");
  expect(await refusal({ uri: uri("hidden") })).toBe(unknown);
  expect(await refusal({ uri: uri("hidden") }, "resources/subscribe")).toBe(unknown);
  const noPrompt = await refusal({ name: "none__greet" }, "prompts/get");
  expect(await refusal({ name: "hidden__greet" }, "prompts/get")).toBe(noPrompt.replace("none", "hidden"));
  expect(JSON.stringify(await ask("prompts/list"))).not.toContain("hidden");
});

it("notifies only of changes that are visible to the caller", async () => {
  await ask("prompts/list");
  const changes: string[] = [];
  (await engine.known()).upstreams.onOffersChanged((server, kind) => changes.push(`${server} ${kind}`));
  await call("hidden", "add");
  await call("seen", "add");
  await eventually(() => new Set(changes).size === 4 && notified.length >= 2);
  expect(notified.toSorted()).toEqual(["prompts", "resources"]);
});

it("reports updates of the subscribed resources until the stream ends", async () => {
  methods.listen("stream", { resourceSubscriptions: [uri("seen"), uri("hidden"), uri("none"), 7] });
  await eventually(async () => {
    await call("hidden", "touch", { uri: "book://shelf/1" });
    await call("seen", "touch", { uri: "book://shelf/1" });
    return notified.includes(uri("seen"));
  });
  expect(notified.filter((one) => one.startsWith("anygpt:"))).not.toContain(uri("hidden"));
  methods.listen("stream", undefined);
  methods.listen("other", { resourceSubscriptions: [uri("seen", "plain")] });
  notified.length = 0;
  await eventually(async () => {
    await call("seen", "touch", { uri: "book://shelf/1" });
    await call("seen", "touch", { uri: "plain" });
    return notified.filter((one) => one === uri("seen", "plain")).length > 2;
  });
  const late = notified.slice(notified.indexOf(uri("seen", "plain")));
  expect(late).not.toContain(uri("seen"));
});

it("subscribes and unsubscribes for a legacy client", async () => {
  expect(await ask("resources/subscribe", { uri: uri("seen") })).toEqual({});
  await call("seen", "touch", { uri: "book://shelf/1" });
  await eventually(() => notified.includes(uri("seen")));
  expect(await ask("resources/unsubscribe", { uri: uri("seen") })).toEqual({});
  expect(await ask("resources/subscribe", { uri: "anygpt://guide" })).toEqual({});
  await expect(ask("resources/subscribe", {})).rejects.toMatchObject({ code: -32_602 });
});

it("does not handle other methods", () => {
  expect(methods.handle("tools/call", {})).toBeUndefined();
  expect(methods.handle("toString", {})).toBeUndefined();
});
