import type { CallerPeer } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/** Pages that are remembered; the oldest are forgotten first. */
const MOST_PAGES = 256;
/** How a legacy server refuses a call that needs a person to visit a page first. */
export const PAGE_REQUIRED = -32_042;

/** The pages that a legacy server has sent people to, and whose client is to hear when one of them is done there. */
export interface Pages {
  note(elicitation: unknown, peer: CallerPeer | undefined): void;
  /** The server says that a person is done. */
  complete(params: JsonObject): void;
}

export function createPages(): Pages {
  const peers = new Map<string, CallerPeer>();
  return {
    note(elicitation, peer) {
      const id = isJsonObject(elicitation) ? elicitation["elicitationId"] : undefined;
      if (typeof id !== "string" || peer === undefined) return;
      peers.set(id, peer);
      const [oldest] = peers.keys();
      if (peers.size > MOST_PAGES && oldest !== undefined) peers.delete(oldest);
    },
    complete({ elicitationId }) {
      if (typeof elicitationId !== "string") return;
      peers.get(elicitationId)?.notify?.("notifications/elicitation/complete", { elicitationId });
      peers.delete(elicitationId);
    },
  };
}

/** The pages of such a refusal. */
export function pagesOf(data: unknown): readonly JsonObject[] {
  const elicitations = isJsonObject(data) ? data["elicitations"] : undefined;
  return Array.isArray(elicitations) ? elicitations.filter(isJsonObject) : [];
}
