import { EventEmitter, once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { closeAll, inFlight, openWatched, stdioTarget, textOf, toCall } from "../../../test/support/upstreams.js";
import type { CallerPeer, CallEvent, PeerAnswer } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";

afterEach(closeAll);

const legacy = stdioTarget("legacy", ["asking-legacy.mjs"]);
const modern = stdioTarget("modern", ["asking-modern.mjs"], { eraHint: "modern" });
const odd = stdioTarget("odd", ["asking-undeclared.mjs"], { eraHint: "modern" });
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

function peer(request: CallerPeer["request"], capabilities: JsonObject = EVERYTHING): CallerPeer {
  return { client: request, capabilities, request };
}
const accepted = (value: string): PeerAnswer => ({ kind: "result", result: { action: "accept", content: { value } } });

function open() {
  const upstreams = openWatched();
  upstreams.expectPeers("one");
  return upstreams;
}

/** Longer than the idle timeout of a call, shorter than its total time limit. */
const LATE_MS = 400;
const late = (): Promise<PeerAnswer> => new Promise((resolve) => setTimeout(() => resolve(accepted("late")), LATE_MS));

it.each([legacy, modern])("pauses the idle timeout of a call to $name while its client answers", async (target) => {
  const upstreams = open();
  await upstreams.call(target, toCall("counts"));
  const call = toCall("ask", { question: "q" }, { peer: peer(late), timeoutMs: LATE_MS / 2 });
  expect(textOf(await upstreams.call(target, call))).toContain("late");
});

it.each([legacy, modern])(
  "applies the total time limit of a call to $name while its client answers",
  async (target) => {
    const upstreams = open();
    await upstreams.call(target, toCall("counts"));
    let taken: AbortSignal | undefined;
    const silent = peer((_question, signal) => {
      taken = signal;
      return new Promise(() => undefined);
    });
    const call = toCall("ask", { question: "q" }, { peer: silent, timeoutMs: 100, maxTotalMs: 300 });
    await expect(upstreams.call(target, call)).rejects.toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT" });
    expect(taken?.aborted).toBe(true);
    expect(inFlight(upstreams, target.name)).toBe(0);
  },
);

it.each([legacy, modern])("cancels the request to the client when a call to $name is cancelled", async (target) => {
  const upstreams = open();
  const giveUp = new AbortController();
  let taken: AbortSignal | undefined;
  const silent = peer((_question, signal) => {
    taken = signal;
    giveUp.abort();
    return new Promise(() => undefined);
  });
  const { signal } = giveUp;
  const call = upstreams.call(target, toCall("ask", { question: "q" }, { peer: silent, signal }));
  await expect(call).rejects.toMatchObject({ code: "CANCELLED", executed: "unknown" });
  expect(taken?.aborted).toBe(true);
});

it("ends the call of a modern server with the client's error message", async () => {
  const refusing = peer(() => Promise.resolve({ kind: "error", code: -1, message: "User rejected sampling" }));
  const call = open().call(modern, toCall("think", { prompt: "p" }, { peer: refusing }));
  await expect(call).rejects.toMatchObject({
    code: "TOOL_EXECUTION_ERROR",
    message: "The client rejected an input request from modern: User rejected sampling.",
    facts: { jsonRpcCode: -1, method: "sampling/createMessage" },
    executed: "unknown",
  });
});

it("cancels the other requests after one error", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const refusing = peer(({ params }, signal) => {
    signals.push(signal);
    if (String(params["message"]).endsWith("│ two")) return Promise.resolve({ kind: "error", code: -1, message: "no" });
    return new Promise(() => undefined);
  });
  await expect(open().call(modern, toCall("together", {}, { peer: refusing }))).rejects.toMatchObject({
    code: "TOOL_EXECUTION_ERROR",
  });
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
});

it.each([
  ["undeclared", { roots: {} }, "does not support"],
  ["undeclared", undefined, "does not support"],
  ["unknown", EVERYTHING, "of an unknown kind"],
  ["empty", EVERYTHING, "contains no input request"],
  ["many", EVERYTHING, "too much input at once"],
])(
  'rejects the input request of the tool "%s" of a modern server for a client with %j',
  async (tool, capabilities, message) => {
    const asked: string[] = [];
    const noted =
      capabilities && peer(({ method }) => (asked.push(method), Promise.resolve(accepted("x"))), capabilities);
    const call = open().call(odd, toCall(tool, {}, noted && { peer: noted }));
    await expect(call).rejects.toMatchObject({
      message: expect.stringContaining(message) as unknown,
      executed: "unknown",
    });
    expect(asked).toEqual([]);
  },
);

const DECLARED = { ...EVERYTHING, sampling: { context: {}, tools: {} } };

it.each([undefined, "one", "many"] as const)(
  "declares the same capabilities to a legacy server for every client (%s)",
  async (peers) => {
    const upstreams = openWatched();
    if (peers !== undefined) upstreams.expectPeers(peers);
    expect(JSON.parse(textOf(await upstreams.call(legacy, toCall("declared"))))).toEqual(DECLARED);
  },
);

it("does not send roots to a server process that serves several clients", async () => {
  const upstreams = openWatched();
  upstreams.expectPeers("many");
  const asked: string[] = [];
  const noting = peer(({ method }) => (asked.push(method), Promise.resolve({ kind: "result", result: { roots: [] } })));
  const answer = await upstreams.call(legacy, toCall("folders", {}, { peer: noting }));
  expect(textOf(answer)).toContain("Several clients share this server");
  expect(asked).toEqual([]);
});

it("delivers log messages to the running calls unless they belong to several actors", async () => {
  const upstreams = open();
  const receivers: string[] = [];
  const listening = (actorId: string) => ({ actorId, onEvent: () => receivers.push(actorId) });
  await upstreams.call(legacy, toCall("talk", { tag: "t" }, listening("ann")));
  expect(receivers.splice(0)).toEqual(["ann", "ann", "ann"]);
  let release: (answer: PeerAnswer) => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    const holding = peer(() => (resolve(), new Promise((answer) => (release = answer))));
    void upstreams.call(legacy, toCall("ask", { question: "q" }, { ...listening("bob"), peer: holding }));
  });
  await asked;
  await upstreams.call(legacy, toCall("talk", { tag: "t" }, listening("ann")));
  expect(receivers).toEqual([]);
  release(accepted("done"));
});

it("rejects requests that a server sends before any call", async () => {
  const eager = stdioTarget("eager", ["asking-legacy.mjs", "eager"]);
  const asked: string[] = [];
  const noting = peer(({ method }) => (asked.push(method), Promise.resolve({ kind: "result", result: { roots: [] } })));
  const upstreams = open();
  for (let start = 0; start < 3; start++) {
    const answer = await upstreams.call(eager, toCall("initial", {}, { peer: noting }));
    expect(textOf(answer)).toBe("refused with -32601");
    await upstreams.drop("eager");
  }
  expect(asked).toEqual([]);
});

it.each([legacy, modern])("does not block other calls while a call to $name waits for its client", async (target) => {
  const upstreams = openWatched({ concurrency: 1, queue: 0 });
  upstreams.expectPeers("one");
  const questions = new EventEmitter<{ asked: [answer: (answer: PeerAnswer) => void] }>();
  const slow = peer(() => new Promise((answer) => void questions.emit("asked", answer)));
  const asked = once(questions, "asked") as Promise<[(answer: PeerAnswer) => void]>;
  const waiting = upstreams.call(target, toCall("ask", { question: "q" }, { peer: slow }));
  const [answer] = await asked;
  const other = await upstreams.call(target, toCall("counts")).catch(String);
  answer(accepted("at last"));
  expect(textOf(await waiting)).toContain("at last");
  expect(other).toMatchObject({ content: [{ text: expect.stringContaining("ran") as string }] });
});

const listing = stdioTarget("listing", ["asking-while-listing.mjs"]);

it("sends a request of the server to the only caller although a list request is running", async () => {
  const upstreams = open();
  const call = upstreams.call(listing, toCall("ask", {}, { peer: peer(() => Promise.resolve(accepted("mine"))) }));
  const prompts = upstreams.offers(listing, { kind: "prompts", freshMs: 0, mayOpen: true });
  expect(textOf(await call)).toContain("mine");
  expect(await prompts).toEqual([]);
});

it.each([
  ["delivers", "the same caller", "ann", ["in the midst"]],
  ["does not deliver", "another caller", "bob", []],
])("%s log messages of a call while %s makes another request", async (_does, _caller, actorId, expected) => {
  const upstreams = open();
  const received: unknown[] = [];
  const onEvent = (event: CallEvent): void => void (event.kind === "log" && received.push(event.data));
  const call = upstreams.call(listing, toCall("ask", {}, { actorId: "ann", onEvent }));
  await upstreams.request(listing, { method: "prompts/get", params: {}, timeoutMs: 10_000, actorId });
  await call;
  expect(received).toEqual(expected);
});
