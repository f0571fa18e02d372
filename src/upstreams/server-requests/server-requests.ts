// Forwards requests from a legacy server (before MCP 2026-07-28: elicitation, sampling, roots) to the client whose call
// they belong to, and returns the client's response. If the client cannot be determined with certainty, the server
// receives an error.
import type { CallerPeer, PeerAnswer } from "../../model/call.js";
import { isWithinDepth } from "../../util/depth.js";
import type { InboundRequest } from "../exchange.js";
import type { OpenCall } from "../open-request.js";
import { attributeRequest, type AttributionParts } from "./attribution.js";
import { isServerRequest, missingCapability } from "./capabilities.js";
import { createUrlElicitations, type UrlElicitations } from "./url-elicitation.js";

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Maximum nesting depth of a request. JSON serialization of deeper data would exhaust the call stack. */
const MAX_DEPTH = 500;
/** Maximum number of unanswered requests from one server. */
const MAX_OPEN = 256;

export interface ServerRequests {
  /** Handles a request from the server. Returns false if the request is not for a client. */
  handle(request: InboundRequest): boolean;
  /** Call this when the server has cancelled its request. */
  withdraw(id: unknown): void;
}

export interface ServerRequestOptions extends Pick<AttributionParts, "server"> {
  /** The most context that the server may request with a sampling request. The default is "none". */
  readonly includeContext?: AttributionParts["includeContext"];
  readonly urlElicitations?: UrlElicitations;
  /** True if the server must not receive the roots of any client. */
  readonly hidesRoots?: boolean;
}

export function createServerRequests(
  respond: (id: string | number, answer: PeerAnswer) => void,
  {
    server,
    includeContext = "none",
    urlElicitations = createUrlElicitations(),
    hidesRoots = false,
  }: ServerRequestOptions,
): ServerRequests {
  const open = new Map<unknown, AbortController>();

  function refusalOf({ id, method }: InboundRequest): Refusal | undefined {
    if (open.has(id) || open.size >= MAX_OPEN) return refuse(INTERNAL_ERROR, FULL);
    return hidesRoots && method === "roots/list" ? refuse(METHOD_NOT_FOUND, SHARED) : undefined;
  }

  async function answer(request: InboundRequest): Promise<void> {
    const { id } = request;
    const recipient = refusalOf(request) ?? findRecipient(request);
    if ("code" in recipient) return respond(id, recipient);
    const attributed = attributeRequest(request.method, request.params, { server, includeContext });
    if ("refused" in attributed) return respond(id, refuse(INVALID_PARAMS, attributed.refused));
    urlElicitations.note(request.params, recipient.peer);
    const withdrawal = new AbortController();
    open.set(id, withdrawal);
    try {
      const answered = await ask({ ...request, ...attributed }, recipient, withdrawal.signal);
      if (!withdrawal.signal.aborted) respond(id, answered);
    } finally {
      open.delete(id);
    }
  }

  return {
    handle(request) {
      if (!isServerRequest(request.method)) return false;
      void answer(request);
      return true;
    },
    withdraw: (id) => open.get(id)?.abort(),
  };
}

const SHARED = "Several clients share this server, so it does not receive the roots of any of them.";
const FULL = "Too many requests from this server are waiting for a response.";

/** The call that the request belongs to, and its client. */
interface Recipient {
  readonly call: OpenCall;
  readonly peer: CallerPeer;
}

type Refusal = Extract<PeerAnswer, { kind: "error" }>;

function findRecipient({ method, params, during }: InboundRequest): Recipient | Refusal {
  const waiting = during.filter(({ ended }) => !ended.aborted);
  const call = waiting.at(-1);
  if (call === undefined) return refuse(INVALID_REQUEST, `No running call can be matched to ${method}.`);
  const isOfAnotherClient = ({ peer: one, actorId, ended }: OpenCall): boolean =>
    one?.client !== call.peer?.client && !(ended.aborted && actorId !== undefined && actorId === call.actorId);
  if (during.some(isOfAnotherClient)) {
    return refuse(
      INVALID_REQUEST,
      `Calls of several clients are running, so ${method} cannot be matched to one of them.`,
    );
  }
  const { peer } = call;
  if (peer === undefined) return refuse(METHOD_NOT_FOUND, `The caller does not support ${method}.`);
  const missing = missingCapability(method, params, peer.capabilities);
  if (missing !== undefined) {
    const code = missing.kind === "capability" ? METHOD_NOT_FOUND : INVALID_PARAMS;
    return refuse(code, `The caller's client does not support ${missing.needs}.`);
  }
  if (!isWithinDepth(params, MAX_DEPTH)) return refuse(INVALID_PARAMS, `${method} is nested too deep.`);
  return { call, peer };
}

/**
 * Forwards the request to the client. Pauses the idle timeout of the call meanwhile, because the server does not cause
 * the delay.
 */
async function ask(
  { method, params }: InboundRequest,
  { call, peer }: Recipient,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  const resume = call.pause();
  try {
    return await peer.request({ method, params }, AbortSignal.any([signal, call.ended]));
  } catch {
    return refuse(INTERNAL_ERROR, `The caller's client did not answer ${method}.`);
  } finally {
    resume();
  }
}

function refuse(code: number, message: string): Refusal {
  return { kind: "error", code, message };
}
