// A request to call something comes in; its work is done for its client, within that one request in the legacy era, in as
// many as the questions of a server take in the modern one.
import { CLIENT_CAPABILITIES_META_KEY, type Server } from "@modelcontextprotocol/server";
import type { Actor } from "../../../model/actor.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { RequestContext } from "../request-context.js";
import { knowsTasks } from "../tasks/task-methods.js";
import { toAskable } from "./client-capabilities.js";
import type { Caller, Work } from "./conversation.js";
import { toLegacyPeer } from "./legacy-peer.js";
import { isStateOfCall, type Rounds } from "./rounds.js";

export interface CallerParts extends Omit<Caller, "peer"> {
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  /** Of which there is one for each client. */
  readonly client: Server;
  /** What the client declared in the handshake; of the legacy era. */
  readonly declared: unknown;
  readonly params: JsonObject;
  readonly rounds: Rounds;
  readonly deaf: AbortSignal;
}

export async function runForCaller(context: RequestContext, parts: CallerParts, work: Work): Promise<JsonObject> {
  const { era, actor, client, params, signal, onEvent, deaf } = parts;
  const { mcpReq } = context;
  const envelope: unknown = mcpReq.envelope;
  const said = era === "legacy" ? parts.declared : isJsonObject(envelope) && envelope[CLIENT_CAPABILITIES_META_KEY];
  const capabilities = toAskable(said);
  if (era === "legacy") {
    const peer = capabilities && toLegacyPeer(context, { client, capabilities, deaf });
    return await work({ signal, onEvent, ...(peer === undefined ? {} : { peer }) });
  }
  const state: unknown = mcpReq.requestState();
  // Nothing else can become one (2026-07-28).
  const mayBecomeTask = mcpReq.method === "tools/call" && knowsTasks(said);
  if (capabilities === undefined && !mayBecomeTask && !isStateOfCall(state)) return await work({ signal, onEvent });
  const call = { method: mcpReq.method, name: params["name"], uri: params["uri"], arguments: params["arguments"] };
  const round = {
    owner: ownerOf(actor),
    call,
    client,
    capabilities: capabilities ?? {},
    state,
    answers: mcpReq.inputResponses,
    mayBecomeTask,
  };
  return await parts.rounds.run({ ...round, signal, onEvent }, work);
}

/** With other rights it is another's. */
export function ownerOf({ id, scopes, view }: Actor): string {
  return JSON.stringify([id, scopes?.toSorted(), view]);
}
