// Calls of modern clients that wait for an answer to a server's question, each under a secret that only its client was
// given. How long, how many, and that nobody goes on with another's call is decided here.
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../model/json.js";
import { createTasks, type Tasks, type TasksOptions } from "../tasks/tasks.js";
import { Conversation, type Next, type Round, type Work } from "./conversation.js";

const PREFIX = "call.";
const SECRET_BYTES = 24;

export interface RoundsOptions {
  /** Calls that wait for answers, in all and of one owner. */
  readonly most?: number;
  readonly mostPerOwner?: number;
  /** A call that nobody goes on with is cancelled after this. */
  readonly longestMs?: number;
  readonly tasks?: TasksOptions;
}

/** A request to call something, or to go on with a call. */
export interface RoundRequest extends Round {
  /** Who may go on with the call: the same for the same actor with the same rights. */
  readonly owner: string;
  /** Name and arguments, which are the same in every request of a call. */
  readonly call: JsonObject;
  readonly client: object;
  readonly capabilities: JsonObject;
  readonly state: unknown;
  readonly answers: JsonObject | undefined;
  /** Whether a call that takes long may become a task. */
  readonly mayBecomeTask?: boolean;
}

export interface Rounds {
  /** Gives the result of the work, the questions that have to be answered for it, or the task that it has become. */
  run(request: RoundRequest, work: Work): Promise<JsonObject>;
  readonly tasks: Tasks;
  /** Ends the calls that wait, and has no other wait; resolves when they have ended. */
  close(): Promise<void>;
}

interface Parked {
  readonly conversation: Conversation;
  readonly owner: string;
  readonly call: JsonObject;
  readonly timer: NodeJS.Timeout;
}

/** Whether a request goes on with a call that waits for answers. */
export function isStateOfCall(state: unknown): state is string {
  return typeof state === "string" && state.startsWith(PREFIX);
}

export function createRounds(options: RoundsOptions = {}): Rounds {
  const { most = 1000, mostPerOwner = 250, longestMs = 600_000 } = options;
  const tasks = createTasks(options.tasks);
  const parked = new Map<string, Parked>();
  let isClosed = false;

  function mayWait(owner: string): boolean {
    if (isClosed || parked.size >= most) return false;
    let own = 0;
    for (const one of parked.values()) own += one.owner === owner ? 1 : 0;
    return own < mostPerOwner;
  }

  /** Once: what was answered cannot be answered again. */
  function resume({ owner, call, state, answers }: RoundRequest): Conversation {
    const found = typeof state === "string" ? parked.get(state) : undefined;
    if (found === undefined || found.owner !== owner || !isDeepStrictEqual(found.call, call)) throw unknownState();
    parked.delete(String(state));
    clearTimeout(found.timer);
    found.conversation.answer(answers ?? {});
    return found.conversation;
  }

  function park(conversation: Conversation, { owner, call }: RoundRequest): string {
    const state = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
    const timer = setTimeout(() => {
      parked.delete(state);
      conversation.end();
    }, longestMs).unref();
    parked.set(state, { conversation, owner, call, timer });
    return state;
  }

  function begin(request: RoundRequest, work: Work): Conversation {
    const { client, capabilities, owner, state, answers = {} } = request;
    // What is said under a state is an answer to a question of ours, and no server's.
    const early = state === undefined ? answers : {};
    const parts = { client, capabilities, mayWait: () => mayWait(owner), early };
    return new Conversation(work, request, parts);
  }

  function toAnswer(next: Next, conversation: Conversation, request: RoundRequest): JsonObject {
    if (next.kind === "ended") return next.result;
    const requestState = park(conversation, request);
    return { resultType: "input_required", inputRequests: next.requests, requestState };
  }

  return {
    tasks,

    async run(request, work) {
      const conversation = isStateOfCall(request.state) ? resume(request) : begin(request, work);
      const next = await conversation.next(request, request.mayBecomeTask === true ? tasks.afterMs : undefined);
      if (next.kind !== "long") return toAnswer(next, conversation, request);
      return (
        tasks.begin(conversation, request.owner) ?? toAnswer(await conversation.next(request), conversation, request)
      );
    },

    async close() {
      isClosed = true;
      const all = [...parked.values()];
      parked.clear();
      for (const { conversation, timer } of all) {
        clearTimeout(timer);
        conversation.end();
      }
      await Promise.allSettled([tasks.close(), ...all.map(({ conversation }) => conversation.ended)]);
    },
  };
}

function unknownState(): ProtocolError {
  const message = "No call waits for an answer under this requestState: it has ended, or it is another call.";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { reason: "invalid_request_state" });
}
