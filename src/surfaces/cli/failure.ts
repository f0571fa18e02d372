import { type DiscoveryError, toDiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { renderHint, withHintText } from "../../model/next-steps.js";
import { describeProblems } from "../../operations/configuration/describe-problems.js";
import type { Context } from "./context.js";
import { BAD, dim, line, type Line } from "../../terminal/lines.js";
import { describeCliStep } from "./next-steps.js";

/** Prints a failure as JSON or as text, depending on `--json`, and returns its exit code. */
export function reportFailure(thrown: unknown, context: Context): number {
  const error = toDiscoveryError(thrown);
  if (context.isJson) context.json(toErrorObject(error, describeCliStep));
  else context.note(failureLines(error));
  reportDefect(error, context);
  return error.entry.exit;
}

export function failureLines(error: DiscoveryError): Line[] {
  const problems = describeProblems(error);
  const hint = hintLines(error);
  if (problems.length < 2) return [line(0, BAD, ` ${error.message}`), ...hint];
  return [
    line(0, BAD, ` The configuration has ${problems.length} problems:`),
    ...problems.map((problem) => line(2, problem)),
    ...hint,
  ];
}

/** The next steps, written as CLI commands. */
export function cliHint({ nextSteps }: Pick<DiscoveryError, "nextSteps">): string | undefined {
  return renderHint(nextSteps, describeCliStep);
}

export function hintLines(error: Pick<DiscoveryError, "nextSteps">, indent = 2): Line[] {
  const hint = cliHint(error);
  return hint === undefined ? [] : [line(indent, hint)];
}

/** The message and the next steps of a failure on one line. */
export function reasonLine(error: Pick<DiscoveryError, "message" | "nextSteps">): string {
  return withHintText(error, describeCliStep);
}

/** For a bug report: prints the last log messages and the stack trace of an internal error on standard error. */
export function reportDefect({ code, cause }: DiscoveryError, context: Context): void {
  if (code !== "INTERNAL_ERROR") return;
  const stack = cause instanceof Error ? [cause.stack ?? cause.message] : [];
  const lines = [...context.logged(), ...stack];
  context.note(lines.map((text) => line(2, dim(text))));
}
