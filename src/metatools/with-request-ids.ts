import type { Execute } from "../executor/execute.js";
import { isJsonObject } from "../model/json.js";

/** The member of a result's `_meta` with facts about the call for the client; models do not see it. */
export const EXECUTION_MEMBER = "anygpt/execution";

/**
 * Adds to each result the id under which the call is recorded in the audit log. Everything but `_meta` stays as the
 * server sent it.
 */
export function withRequestIds(execute: Execute, newId: () => string): Execute {
  return async (call) => {
    const requestId = call.requestId ?? newId();
    const result = await execute({ ...call, requestId });
    const meta = result["_meta"];
    return { ...result, _meta: { ...(isJsonObject(meta) ? meta : {}), [EXECUTION_MEMBER]: { request_id: requestId } } };
  };
}
