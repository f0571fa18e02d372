import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../model/json.js";

const ELICITATION = "elicitation/create";

/**
 * Converts the parameters of a server's request to the legacy era. Form mode is the default there, and revisions before
 * 2025-11-25 do not know `mode`. URL mode needs an `elicitationId`, which the modern era does not have.
 */
export function toLegacyParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  if (params["mode"] === "url") return { elicitationId: randomUUID(), ...params };
  const { mode: _form, ...rest } = params;
  return rest;
}

/** Converts the parameters of a server's request to the modern era. */
export function toModernParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  const { elicitationId: _id, ...rest } = params;
  return { ...rest, mode: params["mode"] === "url" ? "url" : "form" };
}
