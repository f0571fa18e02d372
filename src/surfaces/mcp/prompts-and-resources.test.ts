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
let beside: PromptAndResourceMethods;
let news: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "beside-"));
  const servers = { seen: testServer("library.mjs"), hidden: testServer("library.mjs") };
  engine = new DiscoveryEngine(
    { servers, policy: { views: { clerk: { servers: ["seen"] } } } },
    { stateFolder: join(folder, "state"), cwd: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
  news = [];
  const told = {
    promptsChanged: () => void news.push("prompts"),
    resourcesChanged: () => void news.push("resources"),
    resourceUpdated: (uri: string) => void news.push(uri),
  };
  const actor = { id: "clerk", surface: "http", view: "clerk" } as const;
  const stages = async () => (await engine.known()).scopedView({ view: "clerk" });
  beside = createPromptAndResourceMethods(told, { era: "legacy", actor, stages });
});
afterEach(async () => {
  beside.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (method: string, params: object = {}) => await beside.handle(method, { ...params });
const call = async (server: string, tool: string, args: object = {}) => {
  const { upstreams, resolveConnection } = await engine.known();
  await upstreams.call(resolveConnection(server), toCall(tool, { ...args }));
};
const uri = (server: string, theirs = "book://shelf/1") => `anygpt://servers/${server}/${theirs}`;

it("gives what the caller's view shows, and for the rest says what it says of what is nowhere", async () => {
  expect(await ask("resources/read", { uri: uri("seen") })).toMatchObject({ contents: [{ uri: uri("seen") }, {}] });
  const refusal = (params: object, method = "resources/read") =>
    ask(method, params).then(
      () => "none",
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
  const nowhere = await refusal({ uri: uri("nobody") });
  expect(nowhere).toContain("No such resource.");
  expect(await refusal({ uri: uri("hidden") })).toBe(nowhere);
  expect(await refusal({ uri: uri("hidden") }, "resources/subscribe")).toBe(nowhere);
  const noPrompt = await refusal({ name: "nobody__greet" }, "prompts/get");
  expect(await refusal({ name: "hidden__greet" }, "prompts/get")).toBe(noPrompt.replace("nobody", "hidden"));
  expect(JSON.stringify(await ask("prompts/list"))).not.toContain("hidden");
});

it("notifies only of changes that are visible to the caller", async () => {
  await ask("prompts/list");
  const heard: string[] = [];
  (await engine.known()).upstreams.onOffersChanged((server, kind) => heard.push(`${server} ${kind}`));
  await call("hidden", "add");
  await call("seen", "add");
  await eventually(() => new Set(heard).size === 4 && news.length >= 2);
  expect(news.toSorted()).toEqual(["prompts", "resources"]);
});

it("watches what a stream of changes is about until the stream ends", async () => {
  beside.listen("stream", { resourceSubscriptions: [uri("seen"), uri("hidden"), uri("nobody"), 7] });
  await eventually(async () => {
    await call("hidden", "touch", { uri: "book://shelf/1" });
    await call("seen", "touch", { uri: "book://shelf/1" });
    return news.includes(uri("seen"));
  });
  expect(news.filter((one) => one.startsWith("anygpt:"))).not.toContain(uri("hidden"));
  beside.listen("stream", undefined);
  beside.listen("other", { resourceSubscriptions: [uri("seen", "plain")] });
  news.length = 0;
  await eventually(async () => {
    await call("seen", "touch", { uri: "book://shelf/1" });
    await call("seen", "touch", { uri: "plain" });
    return news.filter((one) => one === uri("seen", "plain")).length > 2;
  });
  const late = news.slice(news.indexOf(uri("seen", "plain")));
  expect(late).not.toContain(uri("seen"));
});

it("subscribes and unsubscribes for a client of one session", async () => {
  expect(await ask("resources/subscribe", { uri: uri("seen") })).toEqual({});
  await call("seen", "touch", { uri: "book://shelf/1" });
  await eventually(() => news.includes(uri("seen")));
  expect(await ask("resources/unsubscribe", { uri: uri("seen") })).toEqual({});
  expect(await ask("resources/subscribe", { uri: "anygpt://guide" })).toEqual({});
  await expect(ask("resources/subscribe", {})).rejects.toMatchObject({ code: -32_602 });
});

it("knows no other methods", () => {
  expect(beside.handle("tools/call", {})).toBeUndefined();
  expect(beside.handle("toString", {})).toBeUndefined();
});
