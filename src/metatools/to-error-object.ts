import { type ErrorCode, type Executed, toDiscoveryError } from "../errors.js";
import { type DescribeStep, renderHint } from "../model/next-steps.js";
import type { Secrets } from "../util/secrets.js";

/** Why a call or a request failed. */
export interface ExecutionError {
  /** The kind of failure. The codes are stable; `ERRORS` has the meaning of each. */
  readonly code: ErrorCode;
  /** What happened, with the server or tool and the value that caused the failure. */
  readonly message: string;
  /** What to do next, such as a command to run or a field to change. */
  readonly hint?: string;
  readonly server?: string;
  readonly tool?: string;
  /** Whether the same unchanged call can succeed later; only then does the hint say to call again. */
  readonly retryable: boolean;
  /** Whether the server ran the tool. If `unknown`, repeating the call can run the tool twice. */
  readonly executed: Executed;
  /** More details such as `request_id`, `problems` or `nearest`. Which ones are present depends on `code`. */
  readonly [fact: string]: unknown;
}

/**
 * Converts an error to the object with which every surface reports a failure. Secrets are redacted. `describe` renders
 * the hint for the surface.
 */
export function toErrorObject(
  thrown: unknown,
  describe: DescribeStep,
  secrets?: Pick<Secrets, "redactError">,
): { success: false; error: ExecutionError } {
  const error = toDiscoveryError(thrown);
  const { code, message, nextSteps, server, tool, facts, executed, retryable } = secrets?.redactError(error) ?? error;
  const hint = renderHint(nextSteps, describe);
  return {
    success: false,
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(server === undefined ? {} : { server }),
      ...(tool === undefined ? {} : { tool }),
      retryable,
      executed,
      ...facts,
    },
  };
}
