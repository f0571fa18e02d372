import { localActor } from "../../src/model/actor.js";
import type { Call, CallContext } from "../../src/model/call.js";
import type { UpstreamCall } from "../../src/upstreams/types.js";

/** The members of a call and of its context, in one object. */
export type GivenCall = Partial<Omit<Call, "context">> & Partial<CallContext>;

/** Tests write a call and its context in one flat object. */
export function toCall(given: GivenCall & Pick<Call, "server" | "tool">): Call {
  const {
    actor = localActor("mcp"),
    clientName,
    signal,
    onEvent,
    meta,
    flaws,
    ask,
    peer,
    logLevel,
    whole,
    consent,
    ...call
  } = given;
  const context = { actor, clientName, signal, onEvent, meta, flaws, ask, peer, logLevel, whole, consent };
  return { arguments: {}, ...call, context };
}

/** The same for a call to a server; `actorId` names the actor. */
export type GivenUpstreamCall = Partial<Omit<UpstreamCall, "context" | "report">> &
  Pick<CallContext, "signal" | "onEvent" | "peer" | "logLevel"> & { readonly actorId?: string };

export function toUpstreamCall(given: GivenUpstreamCall & Pick<UpstreamCall, "tool">): UpstreamCall {
  const { actorId, signal, onEvent, peer, logLevel, ...call } = given;
  const actor = { ...localActor("mcp"), ...(actorId === undefined ? {} : { id: actorId }) };
  const context = { actor, signal, onEvent, peer, logLevel };
  return { arguments: {}, timeoutMs: 10_000, maxTotalMs: 60_000, report: onEvent, ...call, context };
}
