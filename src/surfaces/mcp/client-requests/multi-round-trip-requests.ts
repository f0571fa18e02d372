// Stores calls of modern clients (MCP 2026-07-28 and later) that wait for the client's response to a request from the
// server. Each is stored under a secret `requestState` that only its client knows. Limits their number and lifetime,
// and rejects requests from other owners.
import { randomBytes } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../model/json.js";
import { createTasks, type Tasks, type TasksOptions } from "../tasks/tasks.js";
import { MultiRoundTripCall, type Next, type RoundTrip, type CallWork } from "./multi-round-trip-call.js";
import { isEqualJson } from "../../../util/json/is-equal.js";

const PREFIX = "call.";
const SECRET_BYTES = 24;

export interface MultiRoundTripOptions {
  /** `max`, `maxPerOwner`: the maximum number of waiting calls, in total and per owner. */
  readonly max?: number;
  readonly maxPerOwner?: number;
  /** How long a call waits for its client's next request, in milliseconds. Then it is cancelled. */
  readonly maxWaitMs?: number;
  readonly tasks?: TasksOptions;
}

/** A request from the client that starts a call or continues one. */
export interface RoundTripRequest extends RoundTrip {
  /** Identifies who may continue the call: equal for the same actor with the same permissions. */
  readonly owner: string;
  /** The method, name and arguments. They must be the same in every request of one call. */
  readonly call: JsonObject;
  readonly client: object;
  readonly capabilities: JsonObject;
  readonly state: unknown;
  readonly answers: JsonObject | undefined;
  /** Whether the call may become a task if it takes long. */
  readonly mayBecomeTask?: boolean;
}

export interface MultiRoundTripRequests {
  /**
   * Returns the result of the work, the open requests from the server (`input_required`), or the task that the call
   * became.
   */
  run(request: RoundTripRequest, work: CallWork): Promise<JsonObject>;
  readonly tasks: Tasks;
  /** Cancels the waiting calls and rejects new ones. Resolves when all have ended. */
  close(): Promise<void>;
}

interface Parked {
  readonly pendingCall: MultiRoundTripCall;
  readonly owner: string;
  readonly call: JsonObject;
  readonly timer: NodeJS.Timeout;
}

/** Whether the `requestState` of a request continues a waiting call. */
export function isStateOfCall(state: unknown): state is string {
  return typeof state === "string" && state.startsWith(PREFIX);
}

export function createMultiRoundTripRequests(options: MultiRoundTripOptions = {}): MultiRoundTripRequests {
  const { max = 1000, maxPerOwner = 250, maxWaitMs = 600_000 } = options;
  const tasks = createTasks(options.tasks);
  const parked = new Map<string, Parked>();
  let isClosed = false;

  function mayWait(owner: string): boolean {
    if (isClosed || parked.size >= max) return false;
    let own = 0;
    for (const one of parked.values()) own += one.owner === owner ? 1 : 0;
    return own < maxPerOwner;
  }

  /** Continues the waiting call that a `requestState` belongs to. Each `requestState` can be used once. */
  function resume({ owner, call, state, answers }: RoundTripRequest): MultiRoundTripCall {
    const found = typeof state === "string" ? parked.get(state) : undefined;
    if (found === undefined || found.owner !== owner || !isEqualJson(found.call, call)) throw unknownState();
    parked.delete(String(state));
    clearTimeout(found.timer);
    found.pendingCall.answer(answers ?? {});
    return found.pendingCall;
  }

  function park(pendingCall: MultiRoundTripCall, { owner, call }: RoundTripRequest): string {
    const state = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
    const timer = setTimeout(() => {
      parked.delete(state);
      pendingCall.end();
    }, maxWaitMs).unref();
    parked.set(state, { pendingCall, owner, call, timer });
    return state;
  }

  function begin(request: RoundTripRequest, work: CallWork): MultiRoundTripCall {
    const { client, capabilities, owner, state, answers = {} } = request;
    // Responses that come with a `requestState` belong to the gateway's own confirmation question, not to a request
    // from the server.
    const early = state === undefined ? answers : {};
    const parts = { client, capabilities, mayWait: () => mayWait(owner), early };
    return new MultiRoundTripCall(work, request, parts);
  }

  function toAnswer(next: Next, pendingCall: MultiRoundTripCall, request: RoundTripRequest): JsonObject {
    if (next.kind === "ended") return next.result;
    const requestState = park(pendingCall, request);
    return { resultType: "input_required", inputRequests: next.requests, requestState };
  }

  return {
    tasks,

    async run(request, work) {
      const pendingCall = isStateOfCall(request.state) ? resume(request) : begin(request, work);
      const next = await pendingCall.next(request, request.mayBecomeTask === true ? tasks.afterMs : undefined);
      if (next.kind !== "timeout") return toAnswer(next, pendingCall, request);
      return tasks.begin(pendingCall, request.owner) ?? toAnswer(await pendingCall.next(request), pendingCall, request);
    },

    async close() {
      isClosed = true;
      const all = [...parked.values()];
      parked.clear();
      for (const { pendingCall, timer } of all) {
        clearTimeout(timer);
        pendingCall.end();
      }
      await Promise.allSettled([tasks.close(), ...all.map(({ pendingCall }) => pendingCall.ended)]);
    },
  };
}

function unknownState(): ProtocolError {
  const message = "No call is waiting under this requestState: the call has ended, or the request is for another call.";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { reason: "invalid_request_state" });
}
