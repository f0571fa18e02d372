import { ERRORS, toDiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import type { Secrets } from "../util/secrets.js";

/** The form in which every surface reports a failure: what happened, to what, and what to do next; and no secret. */
export function toErrorObject(
  thrown: unknown,
  secrets?: Pick<Secrets, "redactError">,
): { success: false; error: JsonObject } {
  const error = toDiscoveryError(thrown);
  const { code, message, hint, server, tool, facts, executed } = secrets?.redactError(error) ?? error;
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
