import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../model/json.js";

const ELICITATION = "elicitation/create";

/**
 * Converts the parameters of a request from a server for a legacy client (MCP before 2026-07-28). For form mode, `mode`
 * is omitted: it is the default, and revisions before 2025-11-25 do not know `mode`. URL mode needs an `elicitationId`,
 * which MCP 2026-07-28 does not have.
 */
export function toLegacyParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  if (params["mode"] === "url") return { elicitationId: randomUUID(), ...params };
  const { mode: _form, ...rest } = params;
  return rest;
}

/** Converts the parameters of a request from a server for a modern client (MCP 2026-07-28 and later). */
export function toModernParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  const { elicitationId: _id, ...rest } = params;
  return { ...rest, mode: params["mode"] === "url" ? "url" : "form" };
}
