import { expect, it } from "vitest";
import type { CallEvent, PeerAnswer } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import type { McpCaller, CallWork } from "./multi-round-trip-call.js";
import {
  createMultiRoundTripRequests,
  type RoundTripRequest,
  type MultiRoundTripRequests,
} from "./multi-round-trip-requests.js";

const CALL = { name: "execute_tool", arguments: { n: 1 } };

function request(more: Partial<RoundTripRequest> = {}): RoundTripRequest {
  return {
    owner: "ann",
    call: CALL,
    client: CALL,
    capabilities: { elicitation: { form: {} } },
    state: undefined,
    answers: undefined,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    ...more,
  };
}

/** Asks, and gives what came back. */
const asks: CallWork = async ({ peer }) => ({
  said: await peer?.request({ method: "elicitation/create", params: { message: "q" } }),
});

interface Asking {
  readonly resultType?: string;
  readonly inputRequests?: Record<string, JsonObject>;
  readonly requestState?: string;
  readonly said?: PeerAnswer;
}

const run = async (
  roundTrips: MultiRoundTripRequests,
  work: CallWork,
  more?: Partial<RoundTripRequest>,
): Promise<Asking> => await roundTrips.run(request(more), work);

it("gives the result of work that asks nothing", async () => {
  expect(await run(createMultiRoundTripRequests(), () => Promise.resolve({ done: true }))).toEqual({ done: true });
});

it("gives the failure of work that asks nothing", async () => {
  await expect(run(createMultiRoundTripRequests(), () => Promise.reject(new Error("it failed")))).rejects.toThrow(
    "it failed",
  );
});

it("gives the question, and with its answer the result", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state, ...asked } = await run(roundTrips, asks);
  expect(asked).toEqual({
    resultType: "input_required",
    inputRequests: { "question-1": { method: "elicitation/create", params: { message: "q", mode: "form" } } },
  });
  const answers = { "question-1": { action: "accept" }, other: { action: "decline" } };
  const unused: CallWork = () => expect.unreachable();
  expect(await run(roundTrips, unused, { state, answers })).toEqual({
    said: { kind: "result", result: { action: "accept" } },
  });
});

/** Asks under a name, as servers of the modern era do. */
const asksByName: CallWork = async ({ peer }) => ({
  said: await peer?.request({ method: "elicitation/create", params: { message: "q" }, key: "user_name" }),
});

it("keeps the name that the server has for its question", async () => {
  const { inputRequests } = await run(createMultiRoundTripRequests(), asksByName);
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name"]);
});

it("distinguishes two input requests of the same name", async () => {
  const { inputRequests } = await run(createMultiRoundTripRequests(), async (caller) => ({
    both: await Promise.all([asksByName(caller), asksByName(caller)]),
  }));
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name", "question-1"]);
});

it("takes an answer that came before the question, once, and nothing that is no answer", async () => {
  const answers = { user_name: { action: "accept" }, other: { action: "decline" } };
  const early = await run(createMultiRoundTripRequests(), asksByName, { answers });
  expect(early).toEqual({ said: { kind: "result", result: { action: "accept" } } });
  const again = await run(
    createMultiRoundTripRequests(),
    async (caller) => [await asksByName(caller), await asksByName(caller)][1]!,
    {
      answers,
    },
  );
  expect(again.resultType).toBe("input_required");
  expect((await run(createMultiRoundTripRequests(), asksByName, { answers: { user_name: 12345 } })).resultType).toBe(
    "input_required",
  );
});

it("gives no server what was said to a question of the gateway", async () => {
  const answers = { user_name: { action: "accept" } };
  const { resultType } = await run(createMultiRoundTripRequests(), asksByName, { answers, state: "of another kind" });
  expect(resultType).toBe("input_required");
});

it.each<[string, Partial<RoundTripRequest>]>([
  ["another owner", { owner: "bob" }],
  ["another call", { call: { ...CALL, arguments: { n: 2 } } }],
  ["a made up state", { state: "call.made-up" }],
])("rejects %s, and the call keeps waiting", async (_, wrong) => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state } = await run(roundTrips, asks);
  const answers = { "question-1": { action: "accept" } };
  await expect(run(roundTrips, asks, { state, answers, ...wrong })).rejects.toMatchObject({ code: -32602 });
  expect((await run(roundTrips, asks, { state, answers })).said).toMatchObject({ kind: "result" });
});

it("rejects a used request state", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state } = await run(roundTrips, asks);
  await run(roundTrips, asks, { state, answers: { "question-1": { action: "accept" } } });
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("asks again, under another state, for what was not answered", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const first = await run(roundTrips, asks);
  const second = await run(roundTrips, asks, { state: first.requestState });
  expect(second.inputRequests).toEqual(first.inputRequests);
  expect(second.requestState).not.toBe(first.requestState);
});

it("sends notifications to the current request, and to none between two requests", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const heard: string[] = [];
  const hearing = (name: string) => ({ onEvent: (event: CallEvent) => heard.push(`${name} ${event.kind}`) });
  const talks: CallWork = async ({ peer, onEvent }) => {
    const tell = (): void => onEvent({ kind: "log", level: "info", data: 1 });
    tell();
    const answer = peer?.request({ method: "elicitation/create", params: {} });
    await new Promise((resolve) => setImmediate(resolve));
    tell();
    await answer;
    tell();
    return {};
  };
  const { requestState: state } = await run(roundTrips, talks, hearing("first"));
  await new Promise((resolve) => setImmediate(resolve));
  await run(roundTrips, talks, { state, answers: { "question-1": {} }, ...hearing("second") });
  expect(heard).toEqual(["first log", "second log"]);
});

/** Asks, and tells what it was told when it is not wanted any more. */
function abandoned(onEnd: (said: string) => void): CallWork {
  return async ({ peer, signal }: McpCaller) => {
    const answer = await peer?.request({ method: "elicitation/create", params: {} }, signal);
    onEnd(`${signal.aborted ? "cancelled" : "wanted"}, ${answer?.kind}`);
    return {};
  };
}

it("cancels a call that is not continued, and forgets its state", async () => {
  const roundTrips = createMultiRoundTripRequests({ longestMs: 1 });
  let onEnd: (said: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (onEnd = resolve));
  const { requestState: state } = await run(roundTrips, abandoned(onEnd));
  expect(await ended).toBe("cancelled, error");
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("cancels a call whose request is cancelled", async () => {
  const giveUp = new AbortController();
  const waits: CallWork = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ cancelled: true })));
  const answer = run(createMultiRoundTripRequests(), waits, { signal: giveUp.signal });
  giveUp.abort();
  expect(await answer).toEqual({ cancelled: true });
});

it("keeps the result of a call that ends between two requests", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const withdrawal = new AbortController();
  const { requestState: state } = await run(roundTrips, async ({ peer }) => {
    const said = await peer?.request({ method: "elicitation/create", params: {} }, withdrawal.signal);
    return { said };
  });
  withdrawal.abort();
  expect((await run(roundTrips, asks, { state })).said).toMatchObject({ kind: "error" });
});

it.each([
  ["in all", { most: 2 }, ["ann", "bob"], "eve"],
  ["of one owner", { mostPerOwner: 2 }, ["ann", "ann"], "ann"],
])("rejects input requests above the limit of waiting calls %s", async (_, options, owners, next) => {
  const roundTrips = createMultiRoundTripRequests(options);
  for (const owner of owners) await run(roundTrips, asks, { owner });
  expect((await run(roundTrips, asks, { owner: next })).said).toMatchObject({ kind: "error", code: -32603 });
});

it("has room for others where one owner has none left", async () => {
  const roundTrips = createMultiRoundTripRequests({ mostPerOwner: 1 });
  await run(roundTrips, asks);
  expect(await run(roundTrips, asks, { owner: "bob" })).toMatchObject({ resultType: "input_required" });
});

it("ends waiting calls when it is closed, and accepts no new ones", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const ended: string[] = [];
  const { requestState: state } = await run(
    roundTrips,
    abandoned((said) => ended.push(said)),
  );
  await roundTrips.close();
  expect(ended).toEqual(["cancelled, error"]);
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
  expect((await run(roundTrips, asks)).said).toMatchObject({ kind: "error" });
});
