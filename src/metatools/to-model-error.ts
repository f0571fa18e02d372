import { toDiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import { type DescribeStep, type NextStep, renderHint } from "../model/next-steps.js";
import { withoutLocalPaths } from "../util/strip-trace.js";
import type { Secrets } from "../util/secrets.js";

/** An error as a model reads it, and the details for the program that runs the model. */
export interface ModelError {
  /** The text for the model: code, message, hint and the facts with which the model can act. */
  readonly error: JsonObject;
  /** All details, such as `request_id`, for the `_meta` of the result. */
  readonly details: JsonObject;
}

/**
 * The facts that a model needs and that neither message nor hint contains. `risk_level` and `next_step` belong to the
 * profile `gateway`.
 */
const MODEL_FACTS: ReadonlySet<string> = new Set([
  "violations",
  "signature",
  "elicitations",
  "replayed",
  "repeats",
  "risk_level",
  "next_step",
]);

/** The output of a failed process. It may contain stack traces and local paths; the gateway's log has it. */
const DIAGNOSTICS: ReadonlySet<string> = new Set(["stderr", "stdout", "brokenNpxFolder"]);

/**
 * Converts an error for a model, in few tokens. `executed` is left out if the tool did not run, and `retryable` if the
 * same call cannot succeed.
 */
export function toModelError(
  thrown: unknown,
  describe: DescribeStep,
  secrets?: Pick<Secrets, "redactError">,
): ModelError {
  const given = toDiscoveryError(thrown);
  const error = secrets?.redactError(given) ?? given;
  const { code, server, tool, facts, executed, retryable } = error;
  const clean = isAboutProcess(error) ? withoutLocalPaths : (text: string): string => text;
  const steps = error.nextSteps.map(
    (step): NextStep => (step.action === "advice" ? { ...step, text: clean(step.text) } : step),
  );
  const hint = renderHint(steps, describe);
  const entries = Object.entries(facts);
  return {
    error: {
      code,
      message: clean(error.message),
      ...(hint === undefined ? {} : { hint }),
      ...(retryable ? { retryable } : {}),
      ...(executed === "no" ? {} : { executed }),
      ...Object.fromEntries(entries.filter(([name]) => MODEL_FACTS.has(name))),
    },
    details: {
      ...Object.fromEntries(entries.filter(([name]) => !DIAGNOSTICS.has(name))),
      code,
      ...(server === undefined ? {} : { server }),
      ...(tool === undefined ? {} : { tool }),
      retryable,
      executed,
    },
  };
}

/** Whether the message may quote the output of a server process or a defect. The message of a tool is not changed. */
function isAboutProcess({ code, facts }: { readonly code: string; readonly facts: JsonObject }): boolean {
  return code === "SERVER_CONNECTION_ERROR" || code === "INTERNAL_ERROR" || "exitCode" in facts;
}
