import { ERRORS, type ErrorCode, type Executed, toDiscoveryError } from "../errors.js";
import { type DescribeStep, renderHint } from "../model/next-steps.js";
import type { Secrets } from "../util/secrets.js";

/** Why a call or a request failed. */
export interface ExecutionError {
  /** What kind of failure it is. The codes are stable; see `ERRORS` for the meaning of each. */
  readonly code: ErrorCode;
  /** What happened, to which server or tool, with the value that caused it. */
  readonly message: string;
  /** The next action: a command to run or a field to change. */
  readonly hint?: string;
  readonly server?: string;
  readonly tool?: string;
  /** Whether the same call can succeed later without a change. */
  readonly retryable: boolean;
  /** Whether the tool ran at its server. With `unknown`, a repeated call can run the tool twice. */
  readonly executed: Executed;
  /** More details, which depend on `code`: `request_id`, `problems`, `nearest` and others. */
  readonly [fact: string]: unknown;
}

/** The form in which every surface reports a failure, without secrets. `describe` renders the hint for the surface. */
export function toErrorObject(
  thrown: unknown,
  describe: DescribeStep,
  secrets?: Pick<Secrets, "redactError">,
): { success: false; error: ExecutionError } {
  const error = toDiscoveryError(thrown);
  const { code, message, nextSteps, server, tool, facts, executed } = secrets?.redactError(error) ?? error;
  const hint = renderHint(nextSteps, describe);
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
