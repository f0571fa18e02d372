// Runs the work of a client's request. In the legacy era this is one request; in the modern era, each request of the server
// to the client adds another round trip.
import { CLIENT_CAPABILITIES_META_KEY, type Server } from "@modelcontextprotocol/server";
import type { Actor } from "../../../model/actor.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { RequestContext } from "../request-context.js";
import { supportsTasks } from "../tasks/task-methods.js";
import { toServerRequestCapabilities } from "./client-capabilities.js";
import type { CallWork, RoundTrip } from "./multi-round-trip-call.js";
import { toLegacyPeer } from "./legacy-peer.js";
import { isStateOfCall, type MultiRoundTripRequests } from "./multi-round-trip-requests.js";

/** The parts that all requests of a client share. */
export interface CallerParts {
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  /** The MCP server object of this client; each client has its own. */
  readonly client: Server;
  readonly roundTrips: MultiRoundTripRequests;
  readonly inputClosed: AbortSignal;
}

/** One request of the client, with its parameters. */
export interface CallerRequest extends RoundTrip {
  readonly params: JsonObject;
  readonly context: RequestContext;
}

export async function runForCaller(
  { params, context, signal, onEvent }: CallerRequest,
  { era, actor, client, roundTrips, inputClosed }: CallerParts,
  work: CallWork,
): Promise<JsonObject> {
  const { mcpReq } = context;
  const declared = declaredBy(context, era, client);
  const capabilities = toServerRequestCapabilities(declared);
  if (era === "legacy") {
    const peer = capabilities && toLegacyPeer(context, { client, capabilities, inputClosed });
    return await work({ signal, onEvent, peer });
  }
  const state: unknown = mcpReq.requestState();
  // Only tools/call can become a task (2026-07-28).
  const mayBecomeTask = mcpReq.method === "tools/call" && supportsTasks(declared);
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
  return await roundTrips.run({ ...round, signal, onEvent }, work);
}

/** The client's capabilities: declared in the handshake in the legacy era, with each request in the modern one. */
export function declaredBy({ mcpReq }: RequestContext, era: CallerParts["era"], client: Server): unknown {
  if (era === "legacy") return client.getClientCapabilities();
  const envelope: unknown = mcpReq.envelope;
  return isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

/** Includes the permissions: the same actor with other permissions is another owner. */
export function ownerOf({ id, scopes, view }: Actor): string {
  return JSON.stringify([id, scopes?.toSorted(), view]);
}
