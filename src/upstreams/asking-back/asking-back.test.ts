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
const said = (value: string): PeerAnswer => ({ kind: "result", result: { action: "accept", content: { value } } });

function open() {
  const upstreams = openWatched();
  upstreams.expectPeers("one");
  return upstreams;
}

/** Longer than the silence that a call may be, shorter than its whole time. */
const LATE_MS = 400;
const late = (): Promise<PeerAnswer> => new Promise((resolve) => setTimeout(() => resolve(said("late")), LATE_MS));

it.each([legacy, modern])(
  "the time that somebody at $name takes to answer is not the server's silence",
  async (target) => {
    const upstreams = open();
    await upstreams.call(target, toCall("counts"));
    const call = toCall("ask", { question: "q" }, { peer: peer(late), timeoutMs: LATE_MS / 2 });
    expect(textOf(await upstreams.call(target, call))).toContain("late");
  },
);

it.each([legacy, modern])("the whole time of a call at $name goes on while somebody is asked", async (target) => {
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
});

it.each([legacy, modern])("a call at $name that is cancelled takes its question back", async (target) => {
  const upstreams = open();
  const giveUp = new AbortController();
  let taken: AbortSignal | undefined;
  const silent = peer((_question, signal) => {
    taken = signal;
    giveUp.abort();
    return new Promise(() => undefined);
  });
  const call = upstreams.call(target, toCall("ask", { question: "q" }, { peer: silent }), giveUp.signal);
  await expect(call).rejects.toMatchObject({ code: "CANCELLED", executed: "unknown" });
  expect(taken?.aborted).toBe(true);
});

it("a client's error ends the call of a modern server, in its words", async () => {
  const refusing = peer(() => Promise.resolve({ kind: "error", code: -1, message: "User rejected sampling" }));
  const call = open().call(modern, toCall("think", { prompt: "p" }, { peer: refusing }));
  await expect(call).rejects.toMatchObject({
    code: "TOOL_EXECUTION_ERROR",
    message: "The client refused what the tool of modern asked for: User rejected sampling.",
    facts: { jsonRpcCode: -1, method: "sampling/createMessage" },
    executed: "unknown",
  });
});

it("one refusal takes back what else was asked", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const refusing = peer(({ params }, signal) => {
    signals.push(signal);
    if (params["message"] === "two") return Promise.resolve({ kind: "error", code: -1, message: "no" });
    return new Promise(() => undefined);
  });
  await expect(open().call(modern, toCall("together", {}, { peer: refusing }))).rejects.toMatchObject({
    code: "TOOL_EXECUTION_ERROR",
  });
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
});

it.each([
  ["undeclared", { roots: {} }, "cannot give"],
  ["undeclared", undefined, "cannot give"],
  ["unknown", EVERYTHING, "of a kind that the gateway does not know"],
  ["empty", EVERYTHING, "does not say which"],
  ["many", EVERYTHING, "more input than anybody could give"],
])("a modern server that asks %s of %j is refused", async (tool, capabilities, message) => {
  const asked: string[] = [];
  const noted = capabilities && peer(({ method }) => (asked.push(method), Promise.resolve(said("x"))), capabilities);
  const call = open().call(odd, toCall(tool, {}, noted && { peer: noted }));
  await expect(call).rejects.toMatchObject({
    message: expect.stringContaining(message) as unknown,
    executed: "unknown",
  });
  expect(asked).toEqual([]);
});

const TOLD = { ...EVERYTHING, sampling: { context: {}, tools: {} } };

it.each([undefined, "one", "many"] as const)(
  "a legacy server is told the same capabilities, whoever is served (%s)",
  async (peers) => {
    const upstreams = openWatched();
    if (peers !== undefined) upstreams.expectPeers(peers);
    expect(JSON.parse(textOf(await upstreams.call(legacy, toCall("declared"))))).toEqual(TOLD);
  },
);

it("a server process that serves several clients is told the folders of none", async () => {
  const upstreams = openWatched();
  upstreams.expectPeers("many");
  const asked: string[] = [];
  const noting = peer(({ method }) => (asked.push(method), Promise.resolve({ kind: "result", result: { roots: [] } })));
  const answer = await upstreams.call(legacy, toCall("folders", {}, { peer: noting }));
  expect(textOf(answer)).toContain("Several clients share this server");
  expect(asked).toEqual([]);
});

it("log messages are heard by the calls under way, and by none of them when they are of several actors", async () => {
  const upstreams = open();
  const heard: string[] = [];
  const hearing = (actorId: string) => ({ actorId, onEvent: () => heard.push(actorId) });
  await upstreams.call(legacy, toCall("talk", { tag: "t" }, hearing("ann")));
  expect(heard.splice(0)).toEqual(["ann", "ann", "ann"]);
  let release: (answer: PeerAnswer) => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    const holding = peer(() => (resolve(), new Promise((answer) => (release = answer))));
    void upstreams.call(legacy, toCall("ask", { question: "q" }, { ...hearing("bob"), peer: holding }));
  });
  await asked;
  await upstreams.call(legacy, toCall("talk", { tag: "t" }, hearing("ann")));
  expect(heard).toEqual([]);
  release(said("done"));
});

it("what a server asks before any call is nobody's, however soon the first call comes", async () => {
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

it.each([legacy, modern])("whoever waits for somebody's answer at $name keeps nobody else out", async (target) => {
  const upstreams = openWatched({ concurrency: 1, queue: 0 });
  upstreams.expectPeers("one");
  const questions = new EventEmitter<{ asked: [answer: (answer: PeerAnswer) => void] }>();
  const slow = peer(() => new Promise((answer) => void questions.emit("asked", answer)));
  const asked = once(questions, "asked") as Promise<[(answer: PeerAnswer) => void]>;
  const waiting = upstreams.call(target, toCall("ask", { question: "q" }, { peer: slow }));
  const [answer] = await asked;
  const other = await upstreams.call(target, toCall("counts")).catch(String);
  answer(said("at last"));
  expect(textOf(await waiting)).toContain("at last");
  expect(other).toMatchObject({ content: [{ text: expect.stringContaining("ran") as string }] });
});

const listing = stdioTarget("listing", ["asking-while-listing.mjs"]);

it("a list that is under way, which is nobody's, takes no question from the one caller", async () => {
  const upstreams = open();
  const call = upstreams.call(listing, toCall("ask", {}, { peer: peer(() => Promise.resolve(said("mine"))) }));
  const prompts = upstreams.offers(listing, { kind: "prompts", freshMs: 0, mayOpen: true });
  expect(textOf(await call)).toContain("mine");
  expect(await prompts).toEqual([]);
});

it.each([
  ["the same caller", "ann", ["in the midst"]],
  ["another", "bob", []],
])(
  "what a server says in a call is heard while %s asks for something else, if it can be theirs",
  async (_, actorId, heard) => {
    const upstreams = open();
    const said: unknown[] = [];
    const onEvent = (event: CallEvent): void => void (event.kind === "log" && said.push(event.data));
    const call = upstreams.call(listing, toCall("ask", {}, { actorId: "ann", onEvent }));
    await upstreams.request(listing, { method: "prompts/get", params: {}, timeoutMs: 10_000, actorId });
    await call;
    expect(said).toEqual(heard);
  },
);
