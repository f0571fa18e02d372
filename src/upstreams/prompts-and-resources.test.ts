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
import type { ServerConnection, Era } from "../model/server.js";
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
    connection: (): ServerConnection => ({
      kind: "stdio",
      command: process.execPath,
      args: [serverFile("library.mjs")],
      env: { SECRET: "a-very-secret-value" },
    }),
    eraHint: era,
  };

  it("reports its capabilities together with its tools", async () => {
    upstreams = openUpstreams();
    expect(await upstreams.list(library)).toMatchObject({
      era,
      capabilities: { prompts: true, resources: true, completions: true },
    });
  });

  it("answers requests other than tool calls unchanged", async () => {
    upstreams = openUpstreams();
    const answer = await upstreams.request(library, ask("prompts/get", { name: "greet", arguments: { who: "me" } }));
    expect(answer).toMatchObject({
      kind: "result",
      result: { "x-own": 1, messages: [{ role: "user", content: { type: "text", text: "greet me null" } }] },
    });
  });

  it("answers with its own errors, in which its configured values are redacted", async () => {
    upstreams = openUpstreams();
    const answer = await upstreams.request(library, ask("resources/read", { uri: "book://secret" }));
    expect(answer).toMatchObject({
      kind: "error",
      message: expect.stringMatching(/^library: No (?!a-very)/) as string,
    });
    expect(JSON.stringify(answer)).not.toContain("a-very-secret-value");
  });

  it("fails on an answer over the size limit, and the next request succeeds", async () => {
    upstreams = openUpstreams({ maxMessageBytes: 20_000 });
    await expect(upstreams.request(library, ask("resources/read", { uri: "book://big" }))).rejects.toMatchObject({
      code: "RESULT_TOO_LARGE",
    });
    expect(await upstreams.request(library, ask("resources/read", { uri: "plain" }))).toMatchObject({ kind: "result" });
  });

  it("is not started for a list unless allowed, and its lists are cached", async () => {
    upstreams = openUpstreams();
    expect(await upstreams.offers(library, want("prompts"))).toBeUndefined();
    expect(upstreams.states).toEqual([]);
    const prompts = await upstreams.offers(library, want("prompts", true));
    expect(prompts).toMatchObject([{ name: "greet", extra: { kept: true } }, { name: "part" }, {}]);
    expect(await upstreams.offers(library, want("prompts"))).toBe(prompts);
    expect(await upstreams.offers(library, want("templates"))).toMatchObject([{ uriTemplate: "book://shelf/{id}" }]);
  });

  it("reports its lists when a call has opened it, and when they change", async () => {
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

  it("reports changes of watched resources across connections until the watch ends", async () => {
    upstreams = openUpstreams();
    let changes = 0;
    const watching = await upstreams.watch(library, "plain", () => (changes += 1));
    expect(watching.answer).toEqual({ kind: "result", result: {} });
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    await eventually(() => changes === 1);
    await expect(upstreams.call(library, toCall("end"))).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR" });
    await upstreams.call(library, toCall("touch", { uri: "other" }));
    // One report after the reconnection, because changes in between are unknown.
    await eventually(() => changes === 2);
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    await eventually(() => changes === 3);
    watching.end();
    await upstreams.call(library, toCall("touch", { uri: "plain" }));
    expect(changes).toBe(3);
  });
});

it("returns the server's error if it does not support subscriptions, and watches nothing", async () => {
  upstreams = openUpstreams({ idleMs: 50 });
  const watching = await upstreams.watch(echo, "plain", () => undefined);
  expect(watching.answer).toMatchObject({ kind: "error", code: -32_601 });
  await eventually(() => upstreams.state("echo").kind === "closed");
});

it("subscribes once for several watchers, and unsubscribes after the last one", async () => {
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

it("does not close a connection with a watched resource as idle", async () => {
  upstreams = openUpstreams({ idleMs: 20 });
  const target = stdioTarget("library", ["library.mjs"]);
  const watching = await upstreams.watch(target, "plain", () => undefined);
  // Another server with the same idle time is closed meanwhile.
  await upstreams.call(echo, toCall("echo", { text: "hi" }));
  await eventually(() => upstreams.state("echo").kind === "closed");
  expect(upstreams.state("library").kind).toBe("open");
  watching.end();
  await eventually(() => upstreams.state("library").kind === "closed");
});

it("repeats a request in a new session if the server has dropped the session", async () => {
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

it("rejects prompt and resource requests for servers that do not use MCP", async () => {
  upstreams = openUpstreams({}, { builtInTools: () => Promise.resolve([]) });
  const own: UpstreamTarget = { name: "own", connection: () => ({ kind: "built-in" }) };
  await expect(upstreams.request(own, ask("prompts/list"))).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await upstreams.offers(own, want("prompts", true))).toEqual([]);
});
