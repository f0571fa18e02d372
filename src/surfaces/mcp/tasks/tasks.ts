// Long calls that continue as tasks (MCP extension io.modelcontextprotocol/tasks), each under a secret id that only its
// client knows. Limits their number and lifetime, and hides tasks of other owners.
import { randomBytes } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toDiscoveryError } from "../../../errors.js";
import type { CallEvent } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import { cutAtWord, toOneLine } from "../../../util/text.js";
import type { MultiRoundTripCall } from "../client-requests/multi-round-trip-call.js";

const PREFIX = "task.";
const SECRET_BYTES = 24;
const MAX_STATUS_LENGTH = 500;
const CANCELLED = "The call was cancelled. Changes that the tool had already made remain.";

export interface TasksOptions {
  /**
   * `max`, `maxPerOwner`: the maximum number of tasks, in total and per owner. Above it, calls do not become tasks;
   * their requests stay open.
   */
  readonly max?: number;
  readonly maxPerOwner?: number;
  /** The maximum total length of stored results, in characters. While it is exceeded, no task begins. */
  readonly maxStored?: number;
  /** A call that takes longer than this many milliseconds becomes a task. */
  readonly afterMs?: number;
  /** How long a task exists, in milliseconds. Then it is removed; if it still runs, it is cancelled. */
  readonly ttlMs?: number;
  /** The minimum time for which the outcome of a task is stored after the task has ended, in milliseconds. */
  readonly storedMs?: number;
  readonly pollMs?: number;
  readonly now?: () => number;
}

/** The task id in a request, and the owner key of the request's sender. */
export interface TaskOf {
  readonly taskId: unknown;
  /** The owner key: equal for the same actor with the same permissions. */
  readonly owner: string;
}

export interface Tasks {
  /** How long a request waits for the result of its call before the call becomes a task, in milliseconds. */
  readonly afterMs: number;
  /** Turns a call into a task and returns it; undefined if there are too many tasks. */
  begin(pendingCall: MultiRoundTripCall, owner: string): JsonObject | undefined;
  get(task: TaskOf): JsonObject;
  /** Forwards the client's answers to the server whose requests are open. Keys of other requests are ignored. */
  update(task: TaskOf, answers: JsonObject): void;
  cancel(task: TaskOf): void;
  /** Cancels running tasks and rejects new ones. Resolves when all have ended. */
  close(): Promise<void>;
}

type Outcome =
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly statusMessage: string; readonly error: JsonObject }
  | { readonly status: "cancelled"; readonly statusMessage: string };

interface Task {
  readonly id: string;
  readonly owner: string;
  readonly pendingCall: MultiRoundTripCall;
  readonly createdAt: number;
  updatedAt: number;
  ttlMs: number;
  outcome?: Outcome;
  /** The last progress message from the server. */
  progress?: string | undefined;
  /** The length of the stored result in characters; 0 while there is none. */
  length: number;
  timer?: NodeJS.Timeout;
}

export function createTasks({
  max = 1000,
  maxPerOwner = 250,
  maxStored = 64 * 1024 * 1024,
  afterMs = 750,
  ttlMs = 3_600_000,
  storedMs = 600_000,
  pollMs = 1000,
  now = Date.now,
}: TasksOptions = {}): Tasks {
  const tasks = new Map<string, Task>();
  let isClosed = false;

  function hasRoom(owner: string): boolean {
    if (isClosed || tasks.size >= max) return false;
    let own = 0;
    let stored = 0;
    for (const task of tasks.values()) {
      own += task.owner === owner ? 1 : 0;
      stored += task.length;
    }
    return own < maxPerOwner && stored <= maxStored;
  }

  function find({ taskId, owner }: TaskOf): Task {
    const task = typeof taskId === "string" ? tasks.get(taskId) : undefined;
    if (task === undefined || task.owner !== owner) throw unknownTask();
    return task;
  }

  function scheduleRemoval(task: Task): void {
    clearTimeout(task.timer);
    const remove = (): void => {
      tasks.delete(task.id);
      if (task.outcome === undefined) task.pendingCall.end();
    };
    task.timer = setTimeout(remove, task.createdAt + task.ttlMs - now()).unref();
  }

  function touch(task: Task): void {
    if (task.outcome === undefined) task.updatedAt = now();
  }

  function recordProgress(task: Task, event: CallEvent): void {
    if (event.kind !== "progress") return;
    task.progress = event.message ?? (event.total === undefined ? undefined : `${event.progress} of ${event.total}`);
    touch(task);
  }

  /** Stores the outcome of a task. Only the first outcome counts: the result of a cancelled call is dropped. */
  function settle(task: Task, outcome: Outcome): void {
    if (task.outcome !== undefined) return;
    touch(task);
    task.outcome = outcome;
    task.progress = undefined;
    task.length = outcome.status === "completed" ? JSON.stringify(outcome.result).length : 0;
    if (!tasks.has(task.id)) return;
    task.ttlMs = Math.max(task.ttlMs, task.updatedAt - task.createdAt + storedMs);
    scheduleRemoval(task);
  }

  const toWire = (task: Task, status: string): JsonObject => ({
    taskId: task.id,
    status,
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: pollMs,
    ...(task.progress === undefined ? {} : { statusMessage: cutAtWord(toOneLine(task.progress), MAX_STATUS_LENGTH) }),
  });

  return {
    afterMs,

    begin(pendingCall, owner) {
      if (!hasRoom(owner)) return undefined;
      const id = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
      const createdAt = now();
      const task: Task = { id, owner, pendingCall, createdAt, updatedAt: createdAt, ttlMs, length: 0 };
      tasks.set(id, task);
      scheduleRemoval(task);
      pendingCall.detach({ onChange: () => touch(task), onEvent: (event) => recordProgress(task, event) });
      pendingCall.ended.then(
        (result) => settle(task, { status: "completed", result }),
        (error: unknown) => settle(task, toFailed(error)),
      );
      return { resultType: "task", ...toWire(task, "working") };
    },

    get(which) {
      const task = find(which);
      if (task.outcome !== undefined) return { ...toWire(task, task.outcome.status), ...task.outcome };
      const inputRequests = task.pendingCall.openRequests();
      if (Object.keys(inputRequests).length === 0) return toWire(task, "working");
      return { ...toWire(task, "input_required"), inputRequests };
    },

    update(which, answers) {
      const task = find(which);
      task.pendingCall.answer(answers);
      touch(task);
    },

    cancel(which) {
      const task = find(which);
      settle(task, { status: "cancelled", statusMessage: CANCELLED });
      task.pendingCall.end();
    },

    async close() {
      isClosed = true;
      const all = [...tasks.values()];
      tasks.clear();
      for (const { pendingCall, timer } of all) {
        clearTimeout(timer);
        pendingCall.end();
      }
      await Promise.allSettled(all.map(({ pendingCall }) => pendingCall.ended));
    },
  };
}

function toFailed(thrown: unknown): Outcome {
  const error =
    thrown instanceof ProtocolError
      ? { code: thrown.code, message: thrown.message, ...(thrown.data === undefined ? {} : { data: thrown.data }) }
      : { code: ProtocolErrorCode.InternalError, message: toDiscoveryError(thrown).message };
  return { status: "failed", statusMessage: error.message, error };
}

function unknownTask(): ProtocolError {
  const message = "No task with this id exists for this client. The task may have expired.";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
