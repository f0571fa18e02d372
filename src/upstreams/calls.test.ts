import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { collectGarbage } from "../../test/support/garbage.js";
import {
  closeAll,
  echo,
  faulty,
  inFlight,
  openWatched,
  pidOf,
  stdioTarget,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import type { CallEvent } from "../model/call.js";

afterEach(closeAll);

describe("a call", () => {
  it("starts the server once for many callers and shares the connection", async () => {
    const upstreams = openWatched();
    const pids = await Promise.all(Array.from({ length: 40 }, () => pidOf(upstreams)));
    expect(new Set(pids).size).toBe(1);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });

  it("receives its own answer while many calls run concurrently", async () => {
    const upstreams = openWatched();
    const texts = Array.from({ length: 60 }, (_, index) => `marker ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) =>
        index % 2 === 0
          ? upstreams.call(echo, toCall("echo", { text }))
          : upstreams.call(echo, toCall("sleep", { ms: 5 })).then(() => upstreams.call(echo, toCall("echo", { text }))),
      ),
    );
    expect(answers.map(textOf)).toEqual(texts);
  });

  it("receives the result unchanged, including unknown content types and members", async () => {
    expect(await openWatched().call(echo, toCall("rich"))).toEqual({
      content: [
        { type: "text", text: "words", annotations: { audience: ["user"] } },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "hologram", beams: 3 },
      ],
      structuredContent: { deep: { value: [1, null] } },
      _meta: { "example.com/trace": "t-1" },
      unheardOf: true,
    });
  });

  it("receives isError as an answer", async () => {
    expect(await openWatched().call(echo, toCall("fail"))).toMatchObject({ isError: true });
  });

  it("carries the caller's metadata, but neither its envelope nor its progress token", async () => {
    const meta = {
      "example.com/a": 1,
      progressToken: "theirs",
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    };
    const seen = JSON.parse(textOf(await openWatched().call(echo, toCall("meta", {}, { meta })))) as object;
    expect(seen).toEqual({ "example.com/a": 1, progressToken: expect.any(Number) as number });
  });

  it("reports progress and log messages in order, before its answer", async () => {
    const upstreams = openWatched();
    const events: CallEvent[] = [];
    const onEvent = (event: CallEvent): void => void events.push(event);
    await upstreams.call(echo, toCall("log", { message: "hello" }, { onEvent }));
    await upstreams.call(echo, toCall("sleep", { ms: 60, every: 30 }, { onEvent }));
    expect(events).toEqual([
      { kind: "log", level: "info", logger: "echo: echo", data: "hello" },
      { kind: "progress", progress: 30, total: 60 },
      { kind: "progress", progress: 60, total: 60 },
    ]);
  });

  it("continues while there is progress, up to its total time limit", async () => {
    const upstreams = openWatched();
    await pidOf(upstreams);
    const busy = toCall("sleep", { ms: 1_200, every: 60 }, { timeoutMs: 600 });
    expect(textOf(await upstreams.call(echo, busy))).toBe("slept 1200");
    await expect(upstreams.call(echo, { ...busy, maxTotalMs: 300 })).rejects.toMatchObject({
      code: "TOOL_EXECUTION_TIMEOUT",
      message: "echo did not answer within 0.3 s.",
    });
  });

  it("that is cancelled or times out is cancelled at the server, which keeps running", async () => {
    const upstreams = openWatched();
    const pid = await pidOf(upstreams);
    const controller = new AbortController();
    const slow = upstreams
      .call(echo, toCall("sleep", { ms: 60_000 }, { signal: controller.signal }))
      .catch((error: unknown) => error);
    await eventually(() => inFlight(upstreams, "echo") === 1);
    controller.abort();
    expect(await slow).toMatchObject({ code: "CANCELLED", executed: "unknown" });
    await expect(upstreams.call(echo, toCall("sleep", { ms: 60_000 }, { timeoutMs: 30 }))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_TIMEOUT",
      executed: "unknown",
    });
    const reasons = textOf(await upstreams.call(echo, toCall("cancelled")));
    expect(JSON.parse(reasons)).toEqual(["The call to echo was cancelled.", "echo did not answer within 0.03 s."]);
    expect(await pidOf(upstreams)).toBe(pid);
  });

  it("that was cancelled keeps none of its arguments in memory, even if the server still works on it", async () => {
    const upstreams = openWatched();
    await pidOf(upstreams);
    const callAndCancel = async (): Promise<WeakRef<object>> => {
      const controller = new AbortController();
      const args = { ms: 60_000, text: "x" };
      const peer = { client: upstreams, capabilities: {}, args, request: () => Promise.reject(new Error("no")) };
      const { signal } = controller;
      const call = upstreams.call(echo, toCall("sleep", args, { actorId: "ann", peer, signal }));
      await eventually(() => inFlight(upstreams, "echo") === 1);
      controller.abort();
      await call.catch(() => undefined);
      return new WeakRef(args);
    };
    const args = await callAndCancel();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(args.deref()).toBeUndefined();
  });

  it("that was cancelled before it began starts nothing", async () => {
    const upstreams = openWatched();
    await expect(upstreams.call(echo, toCall("pid", {}, { signal: AbortSignal.abort() }))).rejects.toMatchObject({
      code: "CANCELLED",
      executed: "no",
    });
  });

  it.each([
    [-32_700, "no"],
    [-32_601, "no"],
    [-32_600, "yes"],
    [-32_602, "yes"],
    [-32_603, "unknown"],
    [-1, "unknown"],
  ])("answered with JSON-RPC error %i has executed: %s", async (code, executed) => {
    await expect(openWatched().call(echo, toCall("reject", { code, message: "Bad thing." }))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      message: "echo answered with an error: Bad thing.",
      executed,
      facts: { jsonRpcCode: code },
    });
  });

  it("fails if the answer is not a result", async () => {
    await expect(openWatched().call(faulty("not-a-result"), toCall("x"))).rejects.toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
    });
  });

  it("ignores duplicate and late answers", async () => {
    const upstreams = openWatched();
    for (let index = 0; index < 10; index++) {
      expect(textOf(await upstreams.call(faulty("late-response"), toCall("echo", { index })))).toBe(
        `{"index":${index}}`,
      );
    }
  });

  it("is rejected beyond the limits while the server starts", async () => {
    const upstreams = openWatched({ concurrency: 1, queue: 1 });
    const [first, second, third] = Array.from({ length: 3 }, () => upstreams.call(echo, toCall("pid")));
    await expect(third).rejects.toMatchObject({ code: "OVERLOADED", executed: "no" });
    expect(upstreams.state("echo").kind).toBe("starting");
    expect(textOf((await first)!)).toBe(textOf((await second)!));
  });

  it("is rejected beyond the limits of its server, and other servers are unaffected", async () => {
    const upstreams = openWatched({ concurrency: 1, queue: 1, queueWaitMs: 60_000 });
    const other = stdioTarget("other", ["echo.mjs"]);
    const running = upstreams.call(echo, toCall("sleep", { ms: 300 }));
    await eventually(() => inFlight(upstreams, "echo") === 1);
    const waiting = upstreams.call(echo, toCall("pid"));
    await expect(upstreams.call(echo, toCall("pid"))).rejects.toMatchObject({ code: "OVERLOADED", executed: "no" });
    expect(await pidOf(upstreams, other)).toBeGreaterThan(0);
    expect(textOf(await running)).toBe("slept 300");
    expect(Number(textOf(await waiting))).toBeGreaterThan(0);
  });
});
