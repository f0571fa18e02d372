import { ProtocolError } from "@modelcontextprotocol/server";
import { expect, it, vi } from "vitest";
import { eventually } from "../../../../test/support/eventually.js";
import type { CallEvent, PeerQuestion } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import type { Work } from "../asking-back/conversation.js";
import { createRounds, type RoundRequest, type Rounds } from "../asking-back/rounds.js";
import type { TasksOptions } from "./tasks.js";

const CALL = { name: "execute_tool", arguments: { n: 1 } };
const OWNER = "ann";

function request(more: Partial<RoundRequest> = {}): RoundRequest {
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

const roundsWith = (tasks: TasksOptions = {}): Rounds => createRounds({ tasks: { afterMs: 1, ...tasks } });

/** Work that ends when it is told to, or when it is not wanted any more. */
function openWork() {
  let end: (result: JsonObject) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let isCancelled = false;
  const work: Work = ({ signal }) =>
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

async function begin(rounds: Rounds, work: Work, more?: Partial<RoundRequest>): Promise<string> {
  const created = await rounds.run(request(more), work);
  expect(created).toMatchObject({ resultType: "task", status: "working" });
  return String(created["taskId"]);
}

/** A call that would become a task if it could, and ends when it cannot. */
async function runWithoutRoom(rounds: Rounds, more?: Partial<RoundRequest>): Promise<JsonObject> {
  const begun = vi.spyOn(rounds.tasks, "begin");
  const { work, end } = openWork();
  const answer = rounds.run(request(more), work);
  await eventually(() => begun.mock.calls.length === 1);
  end({ done: true });
  return await answer;
}

const get = (rounds: Rounds, taskId: string, owner = OWNER): JsonObject => rounds.tasks.get({ taskId, owner });
const statusOf = (rounds: Rounds, taskId: string): unknown => get(rounds, taskId)["status"];

it("gives the result of a call that does not take long", async () => {
  const rounds = roundsWith({ afterMs: 60_000 });
  expect(await rounds.run(request(), () => Promise.resolve({ done: true }))).toEqual({ done: true });
});

it("gives a task for a call that takes long, and its result when there is one", async () => {
  let time = Date.parse("2026-07-28T10:00:00Z");
  const rounds = roundsWith({ now: () => time, ttlMs: 1000, keptMs: 5000, pollMs: 50 });
  const { work, end } = openWork();
  const { taskId, ...created } = await rounds.run(request(), work);
  const about = { createdAt: "2026-07-28T10:00:00.000Z", pollIntervalMs: 50 };
  const begun = { ...about, status: "working", lastUpdatedAt: about.createdAt, ttlMs: 1000 };
  expect(created).toEqual({ resultType: "task", ...begun });
  expect(get(rounds, String(taskId))).toEqual({ taskId, ...begun });
  time += 500;
  end({ content: [], isError: true });
  await eventually(() => statusOf(rounds, String(taskId)) === "completed");
  const done = { lastUpdatedAt: "2026-07-28T10:00:00.500Z", ttlMs: 5500, result: { content: [], isError: true } };
  expect(get(rounds, String(taskId))).toEqual({ taskId, ...about, status: "completed", ...done });
  await rounds.close();
});

it("gives nobody a task who may not have one", async () => {
  const rounds = roundsWith();
  const { work, end } = openWork();
  const answer = rounds.run(request({ mayBecomeTask: false }), work);
  await begin(rounds, openWork().work);
  end({ done: true });
  expect(await answer).toEqual({ done: true });
  await rounds.close();
});

it.each([
  [new ProtocolError(-32000, "It broke.", { at: 1 }), { code: -32000, message: "It broke.", data: { at: 1 } }],
  [new ProtocolError(-32000, "It broke."), { code: -32000, message: "It broke." }],
  [new Error("It broke."), { code: -32603 }],
])("tells the error of a call that failed", async (thrown, error) => {
  const rounds = roundsWith();
  const { work, fail } = openWork();
  const taskId = await begin(rounds, work);
  fail(thrown);
  await eventually(() => statusOf(rounds, taskId) === "failed");
  const failed = get(rounds, taskId);
  expect(failed).toMatchObject({ error });
  expect(failed["statusMessage"]).toBe((failed["error"] as JsonObject)["message"]);
  expect(failed).not.toHaveProperty("result");
});

it("cancels the call, tells so at once and for good, and does not mind to be told twice", async () => {
  const rounds = roundsWith();
  const { work, isCancelled } = openWork();
  const taskId = await begin(rounds, work);
  rounds.tasks.cancel({ taskId, owner: OWNER });
  expect(statusOf(rounds, taskId)).toBe("cancelled");
  expect(isCancelled()).toBe(true);
  rounds.tasks.cancel({ taskId, owner: OWNER });
  await rounds.close();
  const other = roundsWith();
  const ended = openWork();
  const second = await begin(other, ended.work);
  ended.end({ done: true });
  await eventually(() => statusOf(other, second) === "completed");
  other.tasks.cancel({ taskId: second, owner: OWNER });
  expect(get(other, second)).toMatchObject({ status: "completed", result: { done: true } });
});

it("does not tell what came of a call after it was cancelled", async () => {
  const rounds = roundsWith();
  const { work, end } = openWork();
  const taskId = await begin(rounds, work);
  rounds.tasks.cancel({ taskId, owner: OWNER });
  end({ done: true });
  await new Promise((resolve) => setImmediate(resolve));
  expect(get(rounds, taskId)).toMatchObject({ status: "cancelled" });
  expect(get(rounds, taskId)).not.toHaveProperty("result");
});

it.each<[CallEvent, string | undefined]>([
  [{ kind: "progress", progress: 1, total: 4, message: "step\none" }, "step one"],
  [{ kind: "progress", progress: 1, total: 4 }, "1 of 4"],
  [{ kind: "progress", progress: 1 }, undefined],
  [{ kind: "log", level: "info", data: "step" }, undefined],
])("says how far a task is, until it has ended: %j", async (event, said) => {
  const rounds = roundsWith();
  const { work, end } = openWork();
  let tell = (): void => undefined;
  const taskId = await begin(rounds, (caller) => {
    tell = () => caller.onEvent(event);
    return work(caller);
  });
  tell();
  expect(get(rounds, taskId)["statusMessage"]).toBe(said);
  end({});
  await eventually(() => statusOf(rounds, taskId) === "completed");
  expect(get(rounds, taskId)).not.toHaveProperty("statusMessage");
});

it("goes on with a task when the request that began it is gone", async () => {
  const rounds = roundsWith();
  const { work, isCancelled } = openWork();
  const request = new AbortController();
  const taskId = await begin(rounds, work, { signal: request.signal });
  request.abort();
  expect(isCancelled()).toBe(false);
  expect(statusOf(rounds, taskId)).toBe("working");
  await rounds.close();
});

/** Asks these at once, as soon as it is a task, and then the first once more. */
const asks =
  (...keys: string[]): Work =>
  async ({ peer, isAnswered, signal }) => {
    await eventually(() => isAnswered?.() === true || signal.aborted);
    const ask = async (key: string) => {
      const question: PeerQuestion = { method: "elicitation/create", params: { message: key }, key };
      return await peer?.request(question, signal);
    };
    const first = await Promise.all(keys.map(ask));
    return { first, again: await ask(keys[0]!) };
  };
const openIn = (rounds: Rounds, taskId: string): string[] =>
  Object.keys((get(rounds, taskId)["inputRequests"] as JsonObject | undefined) ?? {});

it("asks until everything is answered, and never two things under one name", async () => {
  const rounds = roundsWith();
  const taskId = await begin(rounds, asks("one", "two"));
  const answer = (...names: string[]): void => {
    const answers = Object.fromEntries(names.map((name) => [name, { action: "accept", content: { name } }]));
    rounds.tasks.update({ taskId, owner: OWNER }, answers);
  };
  await eventually(() => openIn(rounds, taskId).length === 2);
  expect(get(rounds, taskId)).toMatchObject({
    status: "input_required",
    inputRequests: { one: { method: "elicitation/create", params: { message: "one" } }, two: {} },
  });
  answer("two", "unknown");
  expect(get(rounds, taskId)).toMatchObject({ status: "input_required" });
  expect(openIn(rounds, taskId)).toEqual(["one"]);
  answer("one");
  await eventually(() => openIn(rounds, taskId).length === 1);
  expect(openIn(rounds, taskId)).toEqual(["question-1"]);
  answer("question-1");
  await eventually(() => statusOf(rounds, taskId) === "completed");
  const said = (name: string) => ({ kind: "result", result: { action: "accept", content: { name } } });
  expect(get(rounds, taskId)["result"]).toEqual({ first: [said("one"), said("two")], again: said("question-1") });
});

it("asks on the request what is asked before it is a task", async () => {
  const rounds = roundsWith({ afterMs: 20 });
  const { work, end } = openWork();
  const first = await rounds.run(request(), async (caller) => {
    await caller.peer?.request({ method: "elicitation/create", params: {}, key: "name" });
    return await work(caller);
  });
  expect(first).toMatchObject({ resultType: "input_required" });
  const answered = { state: first["requestState"], answers: { name: { action: "accept" } } };
  const taskId = await begin(rounds, work, answered);
  expect(get(rounds, taskId)).not.toHaveProperty("requestState");
  end({ done: true });
  await eventually(() => statusOf(rounds, taskId) === "completed");
});

it.each<[string, { taskId?: unknown; owner?: string }]>([
  ["of another", { owner: "bob" }],
  ["that never was", { taskId: "task.made-up" }],
  ["that has no name", { taskId: 5 }],
])("knows no task %s", async (_, wrong) => {
  const rounds = roundsWith();
  const { work, isCancelled } = openWork();
  const which = { taskId: await begin(rounds, work), owner: OWNER, ...wrong };
  const { tasks } = rounds;
  for (const use of [() => tasks.get(which), () => tasks.update(which, {}), () => tasks.cancel(which)]) {
    expect(use).toThrow(expect.objectContaining({ code: -32602 }));
  }
  expect(isCancelled()).toBe(false);
  await rounds.close();
});

it.each<[string, TasksOptions, string[], string]>([
  ["in all", { most: 2 }, ["ann", "bob"], "eve"],
  ["of one owner", { mostPerOwner: 2 }, ["ann", "ann"], "ann"],
])("keeps the request open where there are as many tasks as there may be %s", async (_, options, owners, next) => {
  const rounds = roundsWith(options);
  for (const owner of owners) await begin(rounds, openWork().work, { owner });
  expect(await runWithoutRoom(rounds, { owner: next })).toEqual({ done: true });
  await rounds.close();
});

it("keeps the request open where the results that are kept are too long", async () => {
  const rounds = roundsWith({ mostKept: 100 });
  const large = openWork();
  const taskId = await begin(rounds, large.work);
  large.end({ text: "x".repeat(100) });
  await eventually(() => statusOf(rounds, taskId) === "completed");
  expect(await runWithoutRoom(rounds)).toEqual({ done: true });
});

it("cancels a task whose time is over, and knows it no more", async () => {
  const rounds = roundsWith({ ttlMs: 1 });
  const { work, isCancelled } = openWork();
  const taskId = await begin(rounds, work);
  await eventually(isCancelled);
  expect(() => get(rounds, taskId)).toThrow(expect.objectContaining({ code: -32602 }));
});

it("ends those that run when it is closed, and lets no other begin", async () => {
  const rounds = roundsWith();
  const { work, isCancelled } = openWork();
  const taskId = await begin(rounds, work);
  await rounds.close();
  expect(isCancelled()).toBe(true);
  expect(() => get(rounds, taskId)).toThrow(expect.objectContaining({ code: -32602 }));
  expect(await runWithoutRoom(rounds)).toEqual({ done: true });
});
