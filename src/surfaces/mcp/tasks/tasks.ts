// Calls that take long and go on without a request of their client, each under a name that only its client was given
// (io.modelcontextprotocol/tasks). How many there are, how long they stay and that nobody sees another's is decided here.
import { randomBytes } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toDiscoveryError } from "../../../errors.js";
import type { CallEvent } from "../../../model/call.js";
import type { JsonObject } from "../../../model/json.js";
import { cutAtWord, toOneLine } from "../../../util/text.js";
import type { Conversation } from "../asking-back/conversation.js";

const PREFIX = "task.";
const SECRET_BYTES = 24;
const MOST_SAID = 500;
const CANCELLED = "The call was told to stop. What it had done before stays done.";

export interface TasksOptions {
  /** Tasks that are known, in all and of one owner: beyond that, calls keep their requests open. */
  readonly most?: number;
  readonly mostPerOwner?: number;
  /** No other begins while the results that are kept are longer than this together, in characters. */
  readonly mostKept?: number;
  /** A call that takes longer than this becomes a task. */
  readonly afterMs?: number;
  /** A task is known for this time, and one that still runs then is cancelled. */
  readonly ttlMs?: number;
  /** What came of a task is known for this time at least. */
  readonly keptMs?: number;
  readonly pollMs?: number;
  readonly now?: () => number;
}

/** Which task is meant, and by whom. */
export interface TaskOf {
  readonly taskId: unknown;
  /** Who may ask for it: the same for the same actor with the same rights. */
  readonly owner: string;
}

export interface Tasks {
  /** How long a request waits for its call before the call becomes a task. */
  readonly afterMs: number;
  /** Undefined where there are as many as there may be. */
  begin(conversation: Conversation, owner: string): JsonObject | undefined;
  get(task: TaskOf): JsonObject;
  /** Answers what is open, and passes over everything else. */
  update(task: TaskOf, answers: JsonObject): void;
  cancel(task: TaskOf): void;
  /** Ends those that run, and has no other begin; resolves when they have ended. */
  close(): Promise<void>;
}

type Outcome =
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly statusMessage: string; readonly error: JsonObject }
  | { readonly status: "cancelled"; readonly statusMessage: string };

interface Task {
  readonly id: string;
  readonly owner: string;
  readonly conversation: Conversation;
  readonly createdAt: number;
  updatedAt: number;
  ttlMs: number;
  outcome?: Outcome;
  /** What its server has said last of how far it is. */
  progress?: string | undefined;
  /** Of the result, once it is there. */
  length: number;
  timer?: NodeJS.Timeout;
}

export function createTasks({
  most = 1000,
  mostPerOwner = 250,
  mostKept = 64 * 1024 * 1024,
  afterMs = 750,
  ttlMs = 3_600_000,
  keptMs = 600_000,
  pollMs = 1000,
  now = Date.now,
}: TasksOptions = {}): Tasks {
  const tasks = new Map<string, Task>();
  let isClosed = false;

  function hasRoom(owner: string): boolean {
    if (isClosed || tasks.size >= most) return false;
    let own = 0;
    let kept = 0;
    for (const task of tasks.values()) {
      own += task.owner === owner ? 1 : 0;
      kept += task.length;
    }
    return own < mostPerOwner && kept <= mostKept;
  }

  function find({ taskId, owner }: TaskOf): Task {
    const task = typeof taskId === "string" ? tasks.get(taskId) : undefined;
    if (task === undefined || task.owner !== owner) throw unknownTask();
    return task;
  }

  function forgetInTime(task: Task): void {
    clearTimeout(task.timer);
    const forget = (): void => {
      tasks.delete(task.id);
      if (task.outcome === undefined) task.conversation.end();
    };
    task.timer = setTimeout(forget, task.createdAt + task.ttlMs - now()).unref();
  }

  function touch(task: Task): void {
    if (task.outcome === undefined) task.updatedAt = now();
  }

  function hear(task: Task, event: CallEvent): void {
    if (event.kind !== "progress") return;
    task.progress = event.message ?? (event.total === undefined ? undefined : `${event.progress} of ${event.total}`);
    touch(task);
  }

  /** Once: what comes of a call that was cancelled is not told. */
  function settle(task: Task, outcome: Outcome): void {
    if (task.outcome !== undefined) return;
    touch(task);
    task.outcome = outcome;
    task.progress = undefined;
    task.length = outcome.status === "completed" ? JSON.stringify(outcome.result).length : 0;
    if (!tasks.has(task.id)) return;
    task.ttlMs = Math.max(task.ttlMs, task.updatedAt - task.createdAt + keptMs);
    forgetInTime(task);
  }

  const toWire = (task: Task, status: string): JsonObject => ({
    taskId: task.id,
    status,
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: pollMs,
    ...(task.progress === undefined ? {} : { statusMessage: cutAtWord(toOneLine(task.progress), MOST_SAID) }),
  });

  return {
    afterMs,

    begin(conversation, owner) {
      if (!hasRoom(owner)) return undefined;
      const id = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
      const createdAt = now();
      const task: Task = { id, owner, conversation, createdAt, updatedAt: createdAt, ttlMs, length: 0 };
      tasks.set(id, task);
      forgetInTime(task);
      conversation.detach({ onChange: () => touch(task), onEvent: (event) => hear(task, event) });
      conversation.ended.then(
        (result) => settle(task, { status: "completed", result }),
        (error: unknown) => settle(task, toFailed(error)),
      );
      return { resultType: "task", ...toWire(task, "working") };
    },

    get(which) {
      const task = find(which);
      if (task.outcome !== undefined) return { ...toWire(task, task.outcome.status), ...task.outcome };
      const inputRequests = task.conversation.openRequests();
      if (Object.keys(inputRequests).length === 0) return toWire(task, "working");
      return { ...toWire(task, "input_required"), inputRequests };
    },

    update(which, answers) {
      const task = find(which);
      task.conversation.answer(answers);
      touch(task);
    },

    cancel(which) {
      const task = find(which);
      settle(task, { status: "cancelled", statusMessage: CANCELLED });
      task.conversation.end();
    },

    async close() {
      isClosed = true;
      const all = [...tasks.values()];
      tasks.clear();
      for (const { conversation, timer } of all) {
        clearTimeout(timer);
        conversation.end();
      }
      await Promise.allSettled(all.map(({ conversation }) => conversation.ended));
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
  const message = "There is no such task: it was never there, its time is over, or it is another's.";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
