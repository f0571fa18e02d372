// What a legacy server asks in the course of a call comes in; the caller's client is asked, and what it says goes back.
// It is for that one client or for nobody: where it is not certain whose it is, the server is told so.
import type { CallerPeer, PeerAnswer } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isWithinDepth } from "../../util/depth.js";
import type { InboundRequest } from "../exchange.js";
import type { OpenCall } from "../open-request.js";
import { isAskable, lackOf } from "./capabilities.js";
import { createPages, type Pages } from "./pages.js";

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Deeper data exhausts the stack of whoever writes it as JSON. */
const MAX_DEPTH = 500;
/** Questions of one server that wait for answers. */
const MOST_OPEN = 256;

export interface ServerQuestions {
  /** False when the request is not about a client. */
  take(request: InboundRequest): boolean;
  /** The server wants no answer any more. */
  withdraw(id: unknown): void;
}

export interface QuestionOptions {
  readonly pages?: Pages;
  /** Whether the server must not learn the folders of any client. */
  readonly hidesFolders?: boolean;
}

export function createServerQuestions(
  respond: (id: string | number, answer: PeerAnswer) => void,
  { pages = createPages(), hidesFolders = false }: QuestionOptions = {},
): ServerQuestions {
  const open = new Map<unknown, AbortController>();

  function refusalOf({ id, method }: InboundRequest): Refusal | undefined {
    if (open.has(id) || open.size >= MOST_OPEN) return refuse(INTERNAL_ERROR, FULL);
    return hidesFolders && method === "roots/list" ? refuse(METHOD_NOT_FOUND, SHARED) : undefined;
  }

  async function answer(request: InboundRequest): Promise<void> {
    const { id } = request;
    const whom = refusalOf(request) ?? toAsked(request);
    if ("code" in whom) return respond(id, whom);
    pages.note(request.params, whom.peer);
    const withdrawal = new AbortController();
    open.set(id, withdrawal);
    try {
      const answered = await ask(request, whom, withdrawal.signal);
      if (!withdrawal.signal.aborted) respond(id, answered);
    } finally {
      open.delete(id);
    }
  }

  return {
    take(request) {
      if (!isAskable(request.method)) return false;
      void answer(request);
      return true;
    },
    withdraw: (id) => open.get(id)?.abort(),
  };
}

const SHARED = "Several clients share this server, so it is not told the folders of any of them.";
const FULL = "Too many questions of this server wait for an answer.";

/** The call that the question belongs to and the client behind it. */
interface Asked {
  readonly call: OpenCall;
  readonly peer: CallerPeer;
}

type Refusal = Extract<PeerAnswer, { kind: "error" }>;

function toAsked({ method, params, during }: InboundRequest): Asked | Refusal {
  const waiting = during.filter(({ ended }) => !ended.aborted);
  const call = waiting.at(-1);
  if (call === undefined) return refuse(INVALID_REQUEST, `No call is under way to which ${method} could belong.`);
  const isAnothers = ({ peer: one, actorId, ended }: OpenCall): boolean =>
    one?.client !== call.peer?.client && !(ended.aborted && actorId !== undefined && actorId === call.actorId);
  if (during.some(isAnothers)) {
    return refuse(
      INVALID_REQUEST,
      `Calls of several clients are under way, and nothing tells whose ${method} this is.`,
    );
  }
  const { peer } = call;
  if (peer === undefined) return refuse(METHOD_NOT_FOUND, `The caller cannot be asked for ${method}.`);
  const lack = lackOf(method, params, peer.capabilities);
  if (lack !== undefined) {
    const code = lack.kind === "capability" ? METHOD_NOT_FOUND : INVALID_PARAMS;
    return refuse(code, `The caller's client does not support ${lack.needs}.`);
  }
  if (!isWithinDepth(params, MAX_DEPTH)) return refuse(INVALID_PARAMS, `${method} is nested too deep.`);
  return { call, peer };
}

/** While a client is asked, the silence is not the server's. */
async function ask(
  { method, params }: InboundRequest,
  { call, peer }: Asked,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  const resume = call.pause();
  try {
    return await peer.request({ method, params: withoutToken(params) }, AbortSignal.any([signal, call.ended]));
  } catch {
    return refuse(INTERNAL_ERROR, `The caller's client did not answer ${method}.`);
  } finally {
    resume();
  }
}

/** The server's token means nothing between us and the client. */
function withoutToken(params: JsonObject): JsonObject {
  if (!isJsonObject(params["_meta"])) return params;
  const { progressToken: _token, ...meta } = params["_meta"];
  return { ...params, _meta: meta };
}

function refuse(code: number, message: string): Refusal {
  return { kind: "error", code, message };
}
