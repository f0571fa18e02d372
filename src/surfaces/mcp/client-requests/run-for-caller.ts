// Runs the work of a client's request. For legacy clients (MCP before 2026-07-28) this takes one request. For modern
// clients, each request from the server adds a round trip.
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, type Server } from "@modelcontextprotocol/server";
import type { Actor } from "../../../model/actor.js";
import type { ClientName } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { RequestContext } from "../request-context.js";
import { supportsTasks } from "../tasks/task-methods.js";
import { toServerRequestCapabilities } from "./client-capabilities.js";
import type { CallWork, RoundTrip } from "./multi-round-trip-call.js";
import { toLegacyPeer } from "./legacy-peer.js";
import { isStateOfCall, type MultiRoundTripRequests } from "./multi-round-trip-requests.js";

/** The objects that all requests from one client share. */
export interface CallerParts {
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  /** The SDK's server object for this client; each client has a separate one. */
  readonly client: Server;
  readonly roundTrips: MultiRoundTripRequests;
  readonly inputClosed: AbortSignal;
}

/** One request from the client, with its parameters. */
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
  // Only tools/call can become a task (MCP 2026-07-28).
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

/**
 * Returns the client's capabilities. Legacy clients declare them in the handshake, modern clients with each request.
 */
export function declaredBy({ mcpReq }: RequestContext, era: CallerParts["era"], client: Server): unknown {
  if (era === "legacy") return client.getClientCapabilities();
  const envelope: unknown = mcpReq.envelope;
  return isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

/**
 * Returns how the client names itself. Legacy clients say it in the handshake, modern clients with each request.
 * Undefined if a name or version is missing.
 */
export function clientNameOf(
  { mcpReq }: RequestContext,
  era: CallerParts["era"],
  client: Server,
): ClientName | undefined {
  const envelope: unknown = mcpReq.envelope;
  const modern = isJsonObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  const { name, version }: Partial<Record<string, unknown>> =
    (era === "legacy" ? client.getClientVersion() : modern) ?? {};
  return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
}

/**
 * Returns the owner key of an actor. It includes the permissions: the same actor with other permissions is another
 * owner.
 */
export function ownerOf({ id, scopes, view }: Actor): string {
  return JSON.stringify([id, scopes?.toSorted(), view]);
}
