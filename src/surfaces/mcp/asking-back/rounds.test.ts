import { expect, it } from "vitest";
import type { CallEvent, PeerAnswer } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import type { Caller, Work } from "./conversation.js";
import { createRounds, type RoundRequest, type Rounds } from "./rounds.js";

const CALL = { name: "execute_tool", arguments: { n: 1 } };

function request(more: Partial<RoundRequest> = {}): RoundRequest {
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
const asks: Work = async ({ peer }) => ({
  said: await peer?.request({ method: "elicitation/create", params: { message: "q" } }),
});

interface Asking {
  readonly resultType?: string;
  readonly inputRequests?: Record<string, JsonObject>;
  readonly requestState?: string;
  readonly said?: PeerAnswer;
}

const run = async (rounds: Rounds, work: Work, more?: Partial<RoundRequest>): Promise<Asking> =>
  await rounds.run(request(more), work);

it("gives the result of work that asks nothing", async () => {
  expect(await run(createRounds(), () => Promise.resolve({ done: true }))).toEqual({ done: true });
});

it("gives the failure of work that asks nothing", async () => {
  await expect(run(createRounds(), () => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
});

it("gives the question, and with its answer the result", async () => {
  const rounds = createRounds();
  const { requestState: state, ...asked } = await run(rounds, asks);
  expect(asked).toEqual({
    resultType: "input_required",
    inputRequests: { "question-1": { method: "elicitation/create", params: { message: "q", mode: "form" } } },
  });
  const answers = { "question-1": { action: "accept" }, other: { action: "decline" } };
  const unused: Work = () => expect.unreachable();
  expect(await run(rounds, unused, { state, answers })).toEqual({
    said: { kind: "result", result: { action: "accept" } },
  });
});

/** Asks under a name, as servers of the modern era do. */
const asksByName: Work = async ({ peer }) => ({
  said: await peer?.request({ method: "elicitation/create", params: { message: "q" }, key: "user_name" }),
});

it("keeps the name that the server has for its question", async () => {
  const { inputRequests } = await run(createRounds(), asksByName);
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name"]);
});

it("tells two questions of the same name apart", async () => {
  const { inputRequests } = await run(createRounds(), async (caller) => ({
    both: await Promise.all([asksByName(caller), asksByName(caller)]),
  }));
  expect(Object.keys(inputRequests ?? {})).toEqual(["user_name", "question-1"]);
});

it("takes an answer that came before the question, once, and nothing that is no answer", async () => {
  const answers = { user_name: { action: "accept" }, other: { action: "decline" } };
  const early = await run(createRounds(), asksByName, { answers });
  expect(early).toEqual({ said: { kind: "result", result: { action: "accept" } } });
  const again = await run(createRounds(), async (caller) => [await asksByName(caller), await asksByName(caller)][1]!, {
    answers,
  });
  expect(again.resultType).toBe("input_required");
  expect((await run(createRounds(), asksByName, { answers: { user_name: 12345 } })).resultType).toBe("input_required");
});

it("gives no server what was said to a question of the gateway", async () => {
  const answers = { user_name: { action: "accept" } };
  const { resultType } = await run(createRounds(), asksByName, { answers, state: "of another kind" });
  expect(resultType).toBe("input_required");
});

it.each<[string, Partial<RoundRequest>]>([
  ["another owner", { owner: "bob" }],
  ["another call", { call: { ...CALL, arguments: { n: 2 } } }],
  ["a made up state", { state: "call.made-up" }],
])("refuses %s, and the call waits on", async (_, wrong) => {
  const rounds = createRounds();
  const { requestState: state } = await run(rounds, asks);
  const answers = { "question-1": { action: "accept" } };
  await expect(run(rounds, asks, { state, answers, ...wrong })).rejects.toMatchObject({ code: -32602 });
  expect((await run(rounds, asks, { state, answers })).said).toMatchObject({ kind: "result" });
});

it("refuses a state that was used", async () => {
  const rounds = createRounds();
  const { requestState: state } = await run(rounds, asks);
  await run(rounds, asks, { state, answers: { "question-1": { action: "accept" } } });
  await expect(run(rounds, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("asks again, under another state, for what was not answered", async () => {
  const rounds = createRounds();
  const first = await run(rounds, asks);
  const second = await run(rounds, asks, { state: first.requestState });
  expect(second.inputRequests).toEqual(first.inputRequests);
  expect(second.requestState).not.toBe(first.requestState);
});

it("tells what happens to the request that is under way, and between two nobody", async () => {
  const rounds = createRounds();
  const heard: string[] = [];
  const hearing = (name: string) => ({ onEvent: (event: CallEvent) => heard.push(`${name} ${event.kind}`) });
  const talks: Work = async ({ peer, onEvent }) => {
    const tell = (): void => onEvent({ kind: "log", level: "info", data: 1 });
    tell();
    const answer = peer?.request({ method: "elicitation/create", params: {} });
    await new Promise((resolve) => setImmediate(resolve));
    tell();
    await answer;
    tell();
    return {};
  };
  const { requestState: state } = await run(rounds, talks, hearing("first"));
  await new Promise((resolve) => setImmediate(resolve));
  await run(rounds, talks, { state, answers: { "question-1": {} }, ...hearing("second") });
  expect(heard).toEqual(["first log", "second log"]);
});

/** Asks, and tells what it was told when it is not wanted any more. */
function abandoned(onEnd: (said: string) => void): Work {
  return async ({ peer, signal }: Caller) => {
    const answer = await peer?.request({ method: "elicitation/create", params: {} }, signal);
    onEnd(`${signal.aborted ? "cancelled" : "wanted"}, ${answer?.kind}`);
    return {};
  };
}

it("cancels a call that nobody goes on with, and knows its state no more", async () => {
  const rounds = createRounds({ longestMs: 1 });
  let onEnd: (said: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (onEnd = resolve));
  const { requestState: state } = await run(rounds, abandoned(onEnd));
  expect(await ended).toBe("cancelled, error");
  await expect(run(rounds, asks, { state })).rejects.toMatchObject({ code: -32602 });
});

it("cancels a call whose request is cancelled", async () => {
  const giveUp = new AbortController();
  const waits: Work = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ cancelled: true })));
  const answer = run(createRounds(), waits, { signal: giveUp.signal });
  giveUp.abort();
  expect(await answer).toEqual({ cancelled: true });
});

it("keeps the result of a call that ends while nobody asks", async () => {
  const rounds = createRounds();
  const withdrawal = new AbortController();
  const { requestState: state } = await run(rounds, async ({ peer }) => {
    const said = await peer?.request({ method: "elicitation/create", params: {} }, withdrawal.signal);
    return { said };
  });
  withdrawal.abort();
  expect((await run(rounds, asks, { state })).said).toMatchObject({ kind: "error" });
});

it.each([
  ["in all", { most: 2 }, ["ann", "bob"], "eve"],
  ["of one owner", { mostPerOwner: 2 }, ["ann", "ann"], "ann"],
])("refuses questions beyond the number of calls that may wait %s", async (_, options, owners, next) => {
  const rounds = createRounds(options);
  for (const owner of owners) await run(rounds, asks, { owner });
  expect((await run(rounds, asks, { owner: next })).said).toMatchObject({ kind: "error", code: -32603 });
});

it("has room for others where one owner has none left", async () => {
  const rounds = createRounds({ mostPerOwner: 1 });
  await run(rounds, asks);
  expect(await run(rounds, asks, { owner: "bob" })).toMatchObject({ resultType: "input_required" });
});

it("ends those that wait when it is closed, and lets nobody wait after that", async () => {
  const rounds = createRounds();
  const ended: string[] = [];
  const { requestState: state } = await run(
    rounds,
    abandoned((said) => ended.push(said)),
  );
  await rounds.close();
  expect(ended).toEqual(["cancelled, error"]);
  await expect(run(rounds, asks, { state })).rejects.toMatchObject({ code: -32602 });
  expect((await run(rounds, asks)).said).toMatchObject({ kind: "error" });
});
