import type { CallerPeer } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/** Maximum number of remembered URL elicitations. The oldest are dropped first. */
const MAX_ELICITATIONS = 256;
/** The JSON-RPC error code for a call that requires the user to visit a URL first (MCP 2025-11-25). */
export const URL_ELICITATION_REQUIRED = -32_042;

/**
 * The URL elicitations of a server before MCP 2026-07-28, with the client to notify when the user has completed one.
 */
export interface UrlElicitations {
  note(elicitation: unknown, peer: CallerPeer | undefined): void;
  /** Handles the server's notification that an elicitation is complete. */
  complete(params: JsonObject): void;
}

export function createUrlElicitations(): UrlElicitations {
  const peers = new Map<string, CallerPeer>();
  return {
    note(elicitation, peer) {
      const id = isJsonObject(elicitation) ? elicitation["elicitationId"] : undefined;
      if (typeof id !== "string" || peer === undefined) return;
      peers.set(id, peer);
      const [oldest] = peers.keys();
      if (peers.size > MAX_ELICITATIONS && oldest !== undefined) peers.delete(oldest);
    },
    complete({ elicitationId }) {
      if (typeof elicitationId !== "string") return;
      peers.get(elicitationId)?.notify?.("notifications/elicitation/complete", { elicitationId });
      peers.delete(elicitationId);
    },
  };
}

/** The elicitations in the `data` of the error "URL elicitation required". */
export function urlElicitationsOf(data: unknown): readonly JsonObject[] {
  const elicitations = isJsonObject(data) ? data["elicitations"] : undefined;
  return Array.isArray(elicitations) ? elicitations.filter(isJsonObject) : [];
}
