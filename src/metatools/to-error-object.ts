import { ERRORS, toDiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";

/** The form in which every surface reports a failure: what happened, to what, and what to do next. */
export function toErrorObject(thrown: unknown): { success: false; error: JsonObject } {
  const { code, message, hint, server, tool, facts, executed } = toDiscoveryError(thrown);
  return {
    success: false,
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(server === undefined ? {} : { server }),
      ...(tool === undefined ? {} : { tool }),
      retryable: ERRORS[code].retryable,
      executed,
      ...facts,
    },
  };
}
