import type { CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { findHiddenText } from "../util/hidden-text.js";

/**
 * The member of `_meta` that says how many hidden characters a result contains and of which kinds. The result itself is
 * not changed: it may be the content of a file.
 */
export const HIDDEN_MEMBER = "anygpt/hiddenText";

/** Returns a result without hidden characters as the same object. */
export function flagHiddenText<Result extends JsonObject | CallResult>(result: Result): Result {
  const { _meta: meta, ...members } = result;
  const found = findHiddenText(members);
  if (found === undefined) return result;
  return { ...result, _meta: { ...(isJsonObject(meta) ? meta : {}), [HIDDEN_MEMBER]: { ...found } } };
}
