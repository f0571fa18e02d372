import { isJsonObject, type JsonObject } from "../../src/model/json.js";

/**
 * The error of a call that the gateway answered itself: the members of the text for the model, and those that are only
 * in `_meta["anygpt/error"]`, such as `request_id`. Undefined for an answer, and for a failure that a tool reports.
 */
export function errorOf(result: object): JsonObject | undefined {
  const { isError, content, _meta } = result as JsonObject;
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  const text = isJsonObject(first) ? first["text"] : undefined;
  if (isError !== true || typeof text !== "string" || !text.startsWith('{"success":false')) return undefined;
  const { error } = JSON.parse(text) as { error: JsonObject };
  const details = isJsonObject(_meta) ? _meta["anygpt/error"] : undefined;
  return { ...(isJsonObject(details) ? details : {}), ...error };
}
