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

/** Sends an elicitation and returns its answer. */
const asks: CallWork = async ({ peer }) => ({
  answer: await peer?.request({ method: "elicitation/create", params: { message: "q" } }),
});

interface Asking {
  readonly resultType?: string;
  readonly inputRequests?: Record<string, JsonObject>;
  readonly requestState?: string;
  readonly answer?: PeerAnswer;
}

const run = async (
  roundTrips: MultiRoundTripRequests,
  work: CallWork,
  more?: Partial<RoundTripRequest>,
): Promise<Asking> => await roundTrips.run(request(more), work);

it("returns the result of a call without server requests", async () => {
  expect(await run(createMultiRoundTripRequests(), () => Promise.resolve({ done: true }))).toEqual({ done: true });
});

it("rejects with the error of a call without server requests", async () => {
  await expect(run(createMultiRoundTripRequests(), () => Promise.reject(new Error("it failed")))).rejects.toThrow(
    "it failed",
  );
});

it("returns the input request, and the result when the client continues with an answer", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state, ...asked } = await run(roundTrips, asks);
  expect(asked).toEqual({
    resultType: "input_required",
    inputRequests: { "question-1": { method: "elicitation/create", params: { message: "q", mode: "form" } } },
  });
  const answers = { "question-1": { action: "accept" }, other: { action: "decline" } };
  const unused: CallWork = () => expect.unreachable();
  expect(await run(roundTrips, unused, { state, answers })).toEqual({
    answer: { kind: "result", result: { action: "accept" } },
  });
});

/** Sends an elicitation with a key, as servers of the modern era do. */
const asksWithKey: CallWork = async ({ peer }) => ({
  answer: await peer?.request({ method: "elicitation/create", params: { message: "q" }, key: "user_name" }),
});

it("uses the server's key for its input request", async () => {
  const { inputRequests } = await run(createMultiRoundTripRequests(), asksWithKey);
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name"]);
});

it("gives a second input request with the same key a new key", async () => {
  const { inputRequests } = await run(createMultiRoundTripRequests(), async (caller) => ({
    both: await Promise.all([asksWithKey(caller), asksWithKey(caller)]),
  }));
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name", "question-1"]);
});

it("uses an answer in the first request once, and ignores a value that is not an answer", async () => {
  const answers = { user_name: { action: "accept" }, other: { action: "decline" } };
  const early = await run(createMultiRoundTripRequests(), asksWithKey, { answers });
  expect(early).toEqual({ answer: { kind: "result", result: { action: "accept" } } });
  const again = await run(
    createMultiRoundTripRequests(),
    async (caller) => [await asksWithKey(caller), await asksWithKey(caller)][1]!,
    {
      answers,
    },
  );
  expect(again.resultType).toBe("input_required");
  expect((await run(createMultiRoundTripRequests(), asksWithKey, { answers: { user_name: 12345 } })).resultType).toBe(
    "input_required",
  );
});

it("does not send a server the answer to a question of the gateway", async () => {
  const answers = { user_name: { action: "accept" } };
  const { resultType } = await run(createMultiRoundTripRequests(), asksWithKey, { answers, state: "of another kind" });
  expect(resultType).toBe("input_required");
});

it.each<[string, Partial<RoundTripRequest>]>([
  ["another owner", { owner: "bob" }],
  ["another call", { call: { ...CALL, arguments: { n: 2 } } }],
  ["an unknown requestState", { state: "call.made-up" }],
])("rejects %s, and the call continues to wait", async (_, wrong) => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state } = await run(roundTrips, asks);
  const answers = { "question-1": { action: "accept" } };
  await expect(run(roundTrips, asks, { state, answers, ...wrong })).rejects.toMatchObject({ code: -32602 });
  expect((await run(roundTrips, asks, { state, answers })).answer).toMatchObject({ kind: "result" });
});

it("rejects a requestState that was already used", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const { requestState: state } = await run(roundTrips, asks);
  await run(roundTrips, asks, { state, answers: { "question-1": { action: "accept" } } });
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("repeats unanswered input requests with a new requestState", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const first = await run(roundTrips, asks);
  const second = await run(roundTrips, asks, { state: first.requestState });
  expect(second.inputRequests).toEqual(first.inputRequests);
  expect(second.requestState).not.toBe(first.requestState);
});

it("sends notifications to the current request, and to none between two requests", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const events: string[] = [];
  const recording = (name: string) => ({ onEvent: (event: CallEvent) => events.push(`${name} ${event.kind}`) });
  const logs: CallWork = async ({ peer, onEvent }) => {
    const log = (): void => onEvent({ kind: "log", level: "info", data: 1 });
    log();
    const answer = peer?.request({ method: "elicitation/create", params: {} });
    await new Promise((resolve) => setImmediate(resolve));
    log();
    await answer;
    log();
    return {};
  };
  const { requestState: state } = await run(roundTrips, logs, recording("first"));
  await new Promise((resolve) => setImmediate(resolve));
  await run(roundTrips, logs, { state, answers: { "question-1": {} }, ...recording("second") });
  expect(events).toEqual(["first log", "second log"]);
});

/** Sends an elicitation, and reports how it ended. */
function reportsEnd(onEnd: (outcome: string) => void): CallWork {
  return async ({ peer, signal }: McpCaller) => {
    const answer = await peer?.request({ method: "elicitation/create", params: {} }, signal);
    onEnd(`${signal.aborted ? "cancelled" : "in progress"}, ${answer?.kind}`);
    return {};
  };
}

it("cancels a call that the client does not continue in time, and removes its requestState", async () => {
  const roundTrips = createMultiRoundTripRequests({ maxWaitMs: 1 });
  let onEnd: (outcome: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (onEnd = resolve));
  const { requestState: state } = await run(roundTrips, reportsEnd(onEnd));
  expect(await ended).toBe("cancelled, error");
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("cancels a call when its request is cancelled", async () => {
  const cancelling = new AbortController();
  const waits: CallWork = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ cancelled: true })));
  const answer = run(createMultiRoundTripRequests(), waits, { signal: cancelling.signal });
  cancelling.abort();
  expect(await answer).toEqual({ cancelled: true });
});

it("stores the result of a call that ends between two requests", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const cancelling = new AbortController();
  const { requestState: state } = await run(roundTrips, async ({ peer }) => {
    const answer = await peer?.request({ method: "elicitation/create", params: {} }, cancelling.signal);
    return { answer };
  });
  cancelling.abort();
  expect((await run(roundTrips, asks, { state })).answer).toMatchObject({ kind: "error" });
});

it.each([
  ["in total", { max: 2 }, ["ann", "bob"], "eve"],
  ["per owner", { maxPerOwner: 2 }, ["ann", "ann"], "ann"],
])("rejects requests of servers above the limit of waiting calls %s", async (_, options, owners, next) => {
  const roundTrips = createMultiRoundTripRequests(options);
  for (const owner of owners) await run(roundTrips, asks, { owner });
  expect((await run(roundTrips, asks, { owner: next })).answer).toMatchObject({ kind: "error", code: -32603 });
});

it("accepts calls of other owners when one owner has reached the limit", async () => {
  const roundTrips = createMultiRoundTripRequests({ maxPerOwner: 1 });
  await run(roundTrips, asks);
  expect(await run(roundTrips, asks, { owner: "bob" })).toMatchObject({ resultType: "input_required" });
});

it("cancels waiting calls when it is closed, and accepts no new ones", async () => {
  const roundTrips = createMultiRoundTripRequests();
  const ended: string[] = [];
  const { requestState: state } = await run(
    roundTrips,
    reportsEnd((outcome) => ended.push(outcome)),
  );
  await roundTrips.close();
  expect(ended).toEqual(["cancelled, error"]);
  await expect(run(roundTrips, asks, { state })).rejects.toMatchObject({ code: -32602 });
  expect((await run(roundTrips, asks)).answer).toMatchObject({ kind: "error" });
});
