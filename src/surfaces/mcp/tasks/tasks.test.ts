import { ProtocolError } from "@modelcontextprotocol/server";
import { expect, it, vi } from "vitest";
import { eventually } from "../../../../test/support/eventually.js";
import type { CallEvent, PeerQuestion } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import type { CallWork } from "../client-requests/multi-round-trip-call.js";
import {
  createMultiRoundTripRequests,
  type RoundTripRequest,
  type MultiRoundTripRequests,
} from "../client-requests/multi-round-trip-requests.js";
import type { TasksOptions } from "./tasks.js";

const CALL = { name: "execute_tool", arguments: { n: 1 } };
const OWNER = "ann";

function request(more: Partial<RoundTripRequest> = {}): RoundTripRequest {
  return {
    owner: OWNER,
    call: CALL,
    client: CALL,
    capabilities: { elicitation: { form: {} } },
    state: undefined,
    answers: undefined,
    mayBecomeTask: true,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    ...more,
  };
}

const createWith = (tasks: TasksOptions = {}): MultiRoundTripRequests =>
  createMultiRoundTripRequests({ tasks: { afterMs: 1, ...tasks } });

/** Work that ends when the test ends it, or when it is cancelled. */
function openWork() {
  let end: (result: JsonObject) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let isCancelled = false;
  const work: CallWork = ({ signal }) =>
    new Promise((resolve, reject) => {
      [end, fail] = [resolve, reject];
      signal.addEventListener("abort", () => {
        isCancelled = true;
        resolve({ late: true });
      });
    });
  return {
    work,
    end: (result: JsonObject) => end(result),
    fail: (error: unknown) => fail(error),
    isCancelled: () => isCancelled,
  };
}

async function begin(
  roundTrips: MultiRoundTripRequests,
  work: CallWork,
  more?: Partial<RoundTripRequest>,
): Promise<string> {
  const created = await roundTrips.run(request(more), work);
  expect(created).toMatchObject({ resultType: "task", status: "working" });
  return String(created["taskId"]);
}

/** Runs a long call that cannot become a task because there are too many. */
async function runWithoutRoom(
  roundTrips: MultiRoundTripRequests,
  more?: Partial<RoundTripRequest>,
): Promise<JsonObject> {
  const begun = vi.spyOn(roundTrips.tasks, "begin");
  const { work, end } = openWork();
  const answer = roundTrips.run(request(more), work);
  await eventually(() => begun.mock.calls.length === 1);
  end({ done: true });
  return await answer;
}

const get = (roundTrips: MultiRoundTripRequests, taskId: string, owner = OWNER): JsonObject =>
  roundTrips.tasks.get({ taskId, owner });
const statusOf = (roundTrips: MultiRoundTripRequests, taskId: string): unknown => get(roundTrips, taskId)["status"];

it("returns the result of a short call", async () => {
  const roundTrips = createWith({ afterMs: 60_000 });
  expect(await roundTrips.run(request(), () => Promise.resolve({ done: true }))).toEqual({ done: true });
});

it("returns a task for a long call, and its result when the call has ended", async () => {
  let time = Date.parse("2026-07-28T10:00:00Z");
  const roundTrips = createWith({ now: () => time, ttlMs: 1000, storedMs: 5000, pollMs: 50 });
  const { work, end } = openWork();
  const { taskId, ...created } = await roundTrips.run(request(), work);
  const about = { createdAt: "2026-07-28T10:00:00.000Z", pollIntervalMs: 50 };
  const begun = { ...about, status: "working", lastUpdatedAt: about.createdAt, ttlMs: 1000 };
  expect(created).toEqual({ resultType: "task", ...begun });
  expect(get(roundTrips, String(taskId))).toEqual({ taskId, ...begun });
  time += 500;
  end({ content: [], isError: true });
  await eventually(() => statusOf(roundTrips, String(taskId)) === "completed");
  const done = { lastUpdatedAt: "2026-07-28T10:00:00.500Z", ttlMs: 5500, result: { content: [], isError: true } };
  expect(get(roundTrips, String(taskId))).toEqual({ taskId, ...about, status: "completed", ...done });
  await roundTrips.close();
});

it("does not make a task of a call that must not become one", async () => {
  const roundTrips = createWith();
  const { work, end } = openWork();
  const answer = roundTrips.run(request({ mayBecomeTask: false }), work);
  await begin(roundTrips, openWork().work);
  end({ done: true });
  expect(await answer).toEqual({ done: true });
  await roundTrips.close();
});

it.each([
  [new ProtocolError(-32000, "It broke.", { at: 1 }), { code: -32000, message: "It broke.", data: { at: 1 } }],
  [new ProtocolError(-32000, "It broke."), { code: -32000, message: "It broke." }],
  [new Error("It broke."), { code: -32603 }],
])("reports %s as the error of a failed call", async (thrown, error) => {
  const roundTrips = createWith();
  const { work, fail } = openWork();
  const taskId = await begin(roundTrips, work);
  fail(thrown);
  await eventually(() => statusOf(roundTrips, taskId) === "failed");
  const failed = get(roundTrips, taskId);
  expect(failed).toMatchObject({ error });
  expect(failed["statusMessage"]).toBe((failed["error"] as JsonObject)["message"]);
  expect(failed).not.toHaveProperty("result");
});

it("cancels the call of a task at once, and ignores further cancellations and those of completed tasks", async () => {
  const roundTrips = createWith();
  const { work, isCancelled } = openWork();
  const taskId = await begin(roundTrips, work);
  roundTrips.tasks.cancel({ taskId, owner: OWNER });
  expect(statusOf(roundTrips, taskId)).toBe("cancelled");
  expect(isCancelled()).toBe(true);
  roundTrips.tasks.cancel({ taskId, owner: OWNER });
  await roundTrips.close();
  const other = createWith();
  const ended = openWork();
  const second = await begin(other, ended.work);
  ended.end({ done: true });
  await eventually(() => statusOf(other, second) === "completed");
  other.tasks.cancel({ taskId: second, owner: OWNER });
  expect(get(other, second)).toMatchObject({ status: "completed", result: { done: true } });
});

it("drops the result of a cancelled call", async () => {
  const roundTrips = createWith();
  const { work, end } = openWork();
  const taskId = await begin(roundTrips, work);
  roundTrips.tasks.cancel({ taskId, owner: OWNER });
  end({ done: true });
  await new Promise((resolve) => setImmediate(resolve));
  expect(get(roundTrips, taskId)).toMatchObject({ status: "cancelled" });
  expect(get(roundTrips, taskId)).not.toHaveProperty("result");
});

it.each<[CallEvent, string | undefined]>([
  [{ kind: "progress", progress: 1, total: 4, message: "step\none" }, "step one"],
  [{ kind: "progress", progress: 1, total: 4 }, "1 of 4"],
  [{ kind: "progress", progress: 1 }, undefined],
  [{ kind: "log", level: "info", data: "step" }, undefined],
])("shows %j as the status message until the task has ended", async (event, said) => {
  const roundTrips = createWith();
  const { work, end } = openWork();
  let emit = (): void => undefined;
  const taskId = await begin(roundTrips, (caller) => {
    emit = () => caller.onEvent(event);
    return work(caller);
  });
  emit();
  expect(get(roundTrips, taskId)["statusMessage"]).toBe(said);
  end({});
  await eventually(() => statusOf(roundTrips, taskId) === "completed");
  expect(get(roundTrips, taskId)).not.toHaveProperty("statusMessage");
});

it("continues a task when the request that created it is aborted", async () => {
  const roundTrips = createWith();
  const { work, isCancelled } = openWork();
  const request = new AbortController();
  const taskId = await begin(roundTrips, work, { signal: request.signal });
  request.abort();
  expect(isCancelled()).toBe(false);
  expect(statusOf(roundTrips, taskId)).toBe("working");
  await roundTrips.close();
});

/** When it is a task, sends elicitations with these keys at once, then the first one again. */
const asks =
  (...keys: string[]): CallWork =>
  async ({ peer, isAnswered, signal }) => {
    await eventually(() => isAnswered?.() === true || signal.aborted);
    const ask = async (key: string) => {
      const question: PeerQuestion = { method: "elicitation/create", params: { message: key }, key };
      return await peer?.request(question, signal);
    };
    const first = await Promise.all(keys.map(ask));
    return { first, again: await ask(keys[0]!) };
  };
const openIn = (roundTrips: MultiRoundTripRequests, taskId: string): string[] =>
  Object.keys((get(roundTrips, taskId)["inputRequests"] as JsonObject | undefined) ?? {});

it("lists input requests until all are answered, and never uses a key twice", async () => {
  const roundTrips = createWith();
  const taskId = await begin(roundTrips, asks("one", "two"));
  const answer = (...names: string[]): void => {
    const answers = Object.fromEntries(names.map((name) => [name, { action: "accept", content: { name } }]));
    roundTrips.tasks.update({ taskId, owner: OWNER }, answers);
  };
  await eventually(() => openIn(roundTrips, taskId).length === 2);
  expect(get(roundTrips, taskId)).toMatchObject({
    status: "input_required",
    inputRequests: { one: { method: "elicitation/create", params: { message: "one" } }, two: {} },
  });
  answer("two", "unknown");
  expect(get(roundTrips, taskId)).toMatchObject({ status: "input_required" });
  expect(openIn(roundTrips, taskId)).toEqual(["one"]);
  answer("one");
  await eventually(() => openIn(roundTrips, taskId).length === 1);
  expect(openIn(roundTrips, taskId)).toEqual(["question-1"]);
  answer("question-1");
  await eventually(() => statusOf(roundTrips, taskId) === "completed");
  const said = (name: string) => ({ kind: "result", result: { action: "accept", content: { name } } });
  expect(get(roundTrips, taskId)["result"]).toEqual({ first: [said("one"), said("two")], again: said("question-1") });
});

it("answers the request with input_required if the server asks before the call is a task", async () => {
  const roundTrips = createWith({ afterMs: 20 });
  const { work, end } = openWork();
  const first = await roundTrips.run(request(), async (caller) => {
    await caller.peer?.request({ method: "elicitation/create", params: {}, key: "name" });
    return await work(caller);
  });
  expect(first).toMatchObject({ resultType: "input_required" });
  const answered = { state: first["requestState"], answers: { name: { action: "accept" } } };
  const taskId = await begin(roundTrips, work, answered);
  expect(get(roundTrips, taskId)).not.toHaveProperty("requestState");
  end({ done: true });
  await eventually(() => statusOf(roundTrips, taskId) === "completed");
});

it.each<[string, { taskId?: unknown; owner?: string }]>([
  ["of another owner", { owner: "bob" }],
  ["with an unknown id", { taskId: "task.made-up" }],
  ["with an id that is not a string", { taskId: 5 }],
])("rejects requests for a task %s", async (_, wrong) => {
  const roundTrips = createWith();
  const { work, isCancelled } = openWork();
  const which = { taskId: await begin(roundTrips, work), owner: OWNER, ...wrong };
  const { tasks } = roundTrips;
  for (const use of [() => tasks.get(which), () => tasks.update(which, {}), () => tasks.cancel(which)]) {
    expect(use).toThrow(expect.objectContaining({ code: -32602 }));
  }
  expect(isCancelled()).toBe(false);
  await roundTrips.close();
});

it.each<[string, TasksOptions, string[], string]>([
  ["in total", { max: 2 }, ["ann", "bob"], "eve"],
  ["per owner", { maxPerOwner: 2 }, ["ann", "ann"], "ann"],
])("keeps the request open above the limit of tasks %s", async (_, options, owners, next) => {
  const roundTrips = createWith(options);
  for (const owner of owners) await begin(roundTrips, openWork().work, { owner });
  expect(await runWithoutRoom(roundTrips, { owner: next })).toEqual({ done: true });
  await roundTrips.close();
});

it("keeps the request open if the stored results are too long", async () => {
  const roundTrips = createWith({ maxStored: 100 });
  const large = openWork();
  const taskId = await begin(roundTrips, large.work);
  large.end({ text: "x".repeat(100) });
  await eventually(() => statusOf(roundTrips, taskId) === "completed");
  expect(await runWithoutRoom(roundTrips)).toEqual({ done: true });
});

it("cancels and removes a task after its ttl", async () => {
  const roundTrips = createWith({ ttlMs: 1 });
  const { work, isCancelled } = openWork();
  const taskId = await begin(roundTrips, work);
  await eventually(isCancelled);
  expect(() => get(roundTrips, taskId)).toThrow(expect.objectContaining({ code: -32602 }));
});

it("cancels running tasks when it is closed, and begins no new ones", async () => {
  const roundTrips = createWith();
  const { work, isCancelled } = openWork();
  const taskId = await begin(roundTrips, work);
  await roundTrips.close();
  expect(isCancelled()).toBe(true);
  expect(() => get(roundTrips, taskId)).toThrow(expect.objectContaining({ code: -32602 }));
  expect(await runWithoutRoom(roundTrips)).toEqual({ done: true });
});
