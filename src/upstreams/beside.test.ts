import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import {
  echo,
  type OpenUpstreams,
  openUpstreams,
  serverFile,
  startHttpServer,
  stdioTarget,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import type { Connection, Era } from "../model/server.js";
import type { UpstreamRequest, UpstreamTarget } from "./types.js";

let upstreams: OpenUpstreams;
afterEach(() => upstreams.close());

const ask = (method: string, params: object = {}): UpstreamRequest => ({
  method,
  params: { ...params },
  timeoutMs: 10_000,
});
const HOUR = 3_600_000;
const want = (kind: "prompts" | "resources" | "templates", mayOpen = false) => ({ kind, freshMs: HOUR, mayOpen });

describe.each<Era>(["legacy", "modern"])("a server of the %s era", (era) => {
  const library: UpstreamTarget = {
    name: "library",
    connection: (): Connection => ({
      kind: "stdio",
      command: process.execPath,
      args: [serverFile("library.mjs")],
      env: { SECRET: "a-very-secret-value" },
    }),
    eraHint: era,
  };

  it("says with its tools what it has beside them", async () => {
    upstreams = openUpstreams();
    expect(await upstreams.list(library)).toMatchObject({
      era,
      capabilities: { prompts: true, resources: true, completions: true },
    });
  });

  it("answers requests that are no calls, unchanged", async () => {
    upstreams = openUpstreams();
    const answer = await upstreams.request(library, ask("prompts/get", { name: "greet", arguments: { who: "me" } }));
    expect(answer).toMatchObject({
      kind: "result",
      result: { "x-own": 1, messages: [{ role: "user", content: { type: "text", text: "greet me null" } }] },
    });
  });

  it("answers with errors of its own, without the values that it was given", async () => {
    upstreams = openUpstreams();
    const answer = await upstreams.request(library, ask("resources/read", { uri: "book://secret" }));
    expect(answer).toMatchObject({ kind: "error", message: expect.stringMatching(/^No (?!a-very)/) as string });
    expect(JSON.stringify(answer)).not.toContain("a-very-secret-value");
  });

  it("has an answer over the limit refused, and the next one is answered", async () => {
    upstreams = openUpstreams({ maxMessageBytes: 20_000 });
    await expect(upstreams.request(library, ask("resources/read", { uri: "book://big" }))).rejects.toMatchObject({
      code: "RESULT_TOO_LARGE",
    });
    expect(await upstreams.request(library, ask("resources/read", { uri: "plain" }))).toMatchObject({ kind: "result" });
  });

  it("is not started for a list unless that is wanted, and remembers what it listed", async () => {
    upstreams = openUpstreams();
    expect(await upstreams.offers(library, want("prompts"))).toBeUndefined();
    expect(upstreams.states).toEqual([]);
    const prompts = await upstreams.offers(library, want("prompts", true));
    expect(prompts).toMatchObject([{ name: "greet", extra: { kept: true } }, { name: "part" }, {}]);
    expect(await upstreams.offers(library, want("prompts"))).toBe(prompts);
    expect(await upstreams.offers(library, want("templates"))).toMatchObject([{ uriTemplate: "book://shelf/{id}" }]);
  });

  it("tells that its lists can be had when a call has opened it, and when they change", async () => {
    upstreams = openUpstreams();
    const changed: string[] = [];
    const stop = upstreams.onOffersChanged((server, kind) => changed.push(`${server} ${kind}`));
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    await eventually(() => changed.length === 2);
    expect(changed.toSorted()).toEqual(["library prompts", "library resources"]);
    expect(await upstreams.offers(library, want("prompts"))).toHaveLength(3);
    changed.length = 0;
    await eventually(async () => {
      await upstreams.call(library, toCall("add"));
      return changed.length > 0;
    });
    expect(new Set(changed)).toEqual(new Set(["library prompts"]));
    expect((await upstreams.offers(library, want("prompts")))?.length).toBeGreaterThan(3);
    stop();
  });

  it("tells of changes of what is watched, also over the next connection, until nobody watches", async () => {
    upstreams = openUpstreams();
    let changes = 0;
    const watching = await upstreams.watch(library, "plain", () => (changes += 1));
    expect(watching.answer).toEqual({ kind: "result", result: {} });
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    await eventually(() => changes === 1);
    await expect(upstreams.call(library, toCall("end"))).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR" });
    await upstreams.call(library, toCall("touch", { uri: "other" }));
    // It says so once: what happened in between is not known.
    await eventually(() => changes === 2);
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    await eventually(() => changes === 3);
    watching.end();
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    expect(changes).toBe(3);
  });
});

it("what a server cannot do is its own answer, and nothing is watched then", async () => {
  upstreams = openUpstreams({ idleMs: 50 });
  const watching = await upstreams.watch(echo, "plain", () => undefined);
  expect(watching.answer).toMatchObject({ kind: "error", code: -32_601 });
  await eventually(() => upstreams.state("echo").kind === "closed");
});

it("a server is told once that a resource is watched, and once nobody does, that it is not", async () => {
  upstreams = openUpstreams();
  const target = stdioTarget("library", ["library.mjs"]);
  const watched = async () => textOf(await upstreams.call(target, toCall("watched")));
  const [first, second] = [await upstreams.watch(target, "a", () => 0), await upstreams.watch(target, "a", () => 0)];
  await upstreams.watch(target, "b", () => 0);
  expect(await watched()).toBe("a b");
  first.end();
  expect(await watched()).toBe("a b");
  second.end();
  expect(await watched()).toBe("b");
});

it("a connection that is watched over is not idle", async () => {
  upstreams = openUpstreams({ idleMs: 20 });
  const target = stdioTarget("library", ["library.mjs"]);
  const watching = await upstreams.watch(target, "plain", () => undefined);
  // Another server that is idle for as long is closed meanwhile.
  await upstreams.call(echo, toCall("echo", { text: "hi" }));
  await eventually(() => upstreams.state("echo").kind === "closed");
  expect(upstreams.state("library").kind).toBe("open");
  watching.end();
  await eventually(() => upstreams.state("library").kind === "closed");
});

it("a server that forgot the session is asked in a new one", async () => {
  upstreams = openUpstreams();
  const server = await startHttpServer("http.mjs", "session");
  const target: UpstreamTarget = {
    name: "remote",
    connection: () => ({ kind: "http", url: server.origin, headers: {} }),
    eraHint: "legacy",
  };
  expect(await upstreams.request(target, ask("ping"))).toEqual({ kind: "result", result: {} });
  await fetch(`${server.origin}/sessions`, { method: "DELETE" });
  expect(await upstreams.request(target, ask("ping"))).toEqual({ kind: "result", result: {} });
  await server.stop();
});

it("what is no MCP server has nothing beside tools", async () => {
  upstreams = openUpstreams({}, { ownTools: () => Promise.resolve([]) });
  const own: UpstreamTarget = { name: "own", connection: () => ({ kind: "built-in" }) };
  await expect(upstreams.request(own, ask("prompts/list"))).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await upstreams.offers(own, want("prompts", true))).toEqual([]);
});
