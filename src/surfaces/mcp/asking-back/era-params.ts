import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../model/json.js";

const ELICITATION = "elicitation/create";

/**
 * A server's question in the words of the legacy era: `form` is what no mode means, and revisions before 2025-11-25 do not
 * know the word; an address needs an id, which the modern era has not.
 */
export function toLegacyParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  if (params["mode"] === "url") return { elicitationId: randomUUID(), ...params };
  const { mode: _form, ...rest } = params;
  return rest;
}

/** The same in the words of the modern era. */
export function toModernParams(method: string, params: JsonObject): JsonObject {
  if (method !== ELICITATION) return params;
  const { elicitationId: _id, ...rest } = params;
  return { ...rest, mode: params["mode"] === "url" ? "url" : "form" };
}
