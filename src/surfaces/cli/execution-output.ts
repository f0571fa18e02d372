import type { DiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { toExecutionResult } from "../../metatools/to-execution-result.js";
import type { CallEvent, CallResult } from "../../model/call.js";
import { renderHint } from "../../model/next-steps.js";
import { describePart, toResultParts, withoutSaved } from "../../operations/results/result-parts.js";
import type { SavedFile } from "../../operations/results/save-result.js";
import { sanitize } from "../../util/terminal.js";
import type { Context } from "./context.js";
import { BAD, BLANK, bold, dim, GOOD, line, type Line } from "../../terminal/lines.js";
import { describeCliStep } from "./next-steps.js";
import { resultLines } from "./result-lines.js";
import { describeSpan } from "../../util/time-words.js";
import { isJsonObject } from "../../model/json.js";
import { riskPart } from "./call-lines.js";

/** Reports one execution: `begin`, any number of events, then either `answered` or `failed`. */
export interface ExecutionOutput {
  begin(): void;
  event(event: CallEvent): void;
  /** `saved`: the files that contain the binary items of the result, or its text. */
  answered(answer: CallResult, saved: readonly SavedFile[] | undefined): void;
  failed(error: DiscoveryError): void;
}

export interface ExecutionOutputParts {
  readonly context: Context;
  readonly server: string;
  readonly tool: string;
  /** Print progress and log events as they arrive. */
  readonly isStream: boolean;
  /** The call is a dry run: its result describes what the call would do. */
  readonly isDryRun: boolean;
  /** Standard output is the unchanged result of the tool and nothing else. */
  readonly isRaw: boolean;
}

export function createExecutionOutput(parts: ExecutionOutputParts): ExecutionOutput {
  if (parts.context.isJson) return jsonOutput(parts);
  return parts.isRaw ? rawOutput(parts) : textOutput(parts);
}

/** One JSON object; with `--stream`, JSON Lines: one object per event and one for the result. */
function jsonOutput({ context, server, tool, isStream }: ExecutionOutputParts): ExecutionOutput {
  const print = isStream ? context.jsonLine : context.json;
  return {
    begin: () => undefined,
    event: (event) => (isStream ? print(event) : undefined),
    answered: (answer, saved) =>
      print({
        ...toExecutionResult(answer, server, tool),
        ...(saved === undefined
          ? {}
          : { saved: saved.map(({ file, mimeType, bytes }) => ({ file, mimeType, bytes })) }),
      }),
    failed: (error) => print(toErrorObject(error, describeCliStep)),
  };
}

/** The result goes to standard output; headings, events and errors go to standard error. */
function textOutput({ context, server, tool, isStream, isDryRun }: ExecutionOutputParts): ExecutionOutput {
  let gap: Line[] = [];
  return {
    begin: () => context.aside([line(0, isDryRun ? "Dry run: " : "Executing: ", bold(`${server}:${tool}`)), BLANK]),
    event(event) {
      if (!isStream) return;
      context.note([line(0, dim(describeEvent(event)))]);
      gap = [BLANK];
    },
    answered(answer, saved) {
      const result = toExecutionResult(answer, server, tool);
      if (isDryRun) context.show(dryRunLines(answer));
      else if (result.success) {
        context.aside([...gap, line(0, GOOD, " Success"), BLANK]);
        context.show(resultLines(withoutSaved(answer, saved !== undefined)));
        context.aside(saved === undefined ? howToSave(answer) : savedLines(saved));
      } else failWith(toolError(answer, result.error.message));
      if (result.replayed) context.aside([line(0, REPLAYED)]);
    },
    failed: (error) => failWith(error),
  };

  function failWith(error: ErrorFacts): void {
    context.note([...gap, ...errorLines(error)]);
    const isSettled = error.code === "IDEMPOTENCY_OUTCOME_UNKNOWN";
    if (error.facts?.["replayed"] === true && !isSettled) context.aside([line(0, REPLAYED)]);
  }

  function toolError(answer: CallResult, message: string): ErrorFacts {
    const attached = answer.content.filter((item) => item["type"] !== "text");
    context.show(resultLines({ content: attached }));
    return { code: "TOOL_EXECUTION_ERROR", message, server, tool };
  }
}

/** Writes the bytes of the result. Control characters and binary data are not written to a terminal. */
function rawOutput({ context, server, tool }: ExecutionOutputParts): ExecutionOutput {
  const { stdout, isTerminal } = context.io;
  return {
    begin: () => undefined,
    event: () => undefined,
    answered(answer, saved) {
      const result = toExecutionResult(answer, server, tool);
      if (!result.success) {
        const message = result.error.message;
        context.note(errorLines({ code: "TOOL_EXECUTION_ERROR", message, server, tool }));
        return;
      }
      if (saved !== undefined) return context.aside(savedLines(saved));
      const { text, binaries } = toResultParts(answer);
      const [only, ...others] = binaries;
      if (only !== undefined && others.length === 0 && text === "" && !isTerminal.stdout) stdout.write(only.bytes);
      else {
        if (text !== "") stdout.write(isTerminal.stdout ? `${sanitize(text).replace(/\n$/, "")}\n` : text);
        context.note(howToSave(answer));
      }
    },
    failed: (error) => context.note(errorLines(error)),
  };
}

function savedLines(saved: readonly SavedFile[]): Line[] {
  return saved.map(({ file, description }) => line(0, GOOD, ` Saved ${description} as ${file}`));
}

function howToSave(answer: CallResult): Line[] {
  const { binaries } = toResultParts(answer);
  if (binaries.length === 0) return [];
  return [line(0, dim(`Add -o FILE to save ${binaries.map(describePart).join(" and ")}.`))];
}

const REPLAYED = dim("The tool did not run again: this is the result of the first call with the same idempotency key.");

type ErrorFacts = Pick<DiscoveryError, "code" | "message" | "server" | "tool"> &
  Partial<Pick<DiscoveryError, "nextSteps" | "facts">>;

function errorLines({ code, message, server, tool, nextSteps, facts = {} }: ErrorFacts): Line[] {
  const hint = renderHint(nextSteps, describeCliStep);
  return [
    line(0, BAD, " Error"),
    BLANK,
    `Code: ${code}`,
    `Message: ${message}`,
    ...(server === undefined ? [] : [`Server: ${server}`]),
    ...(tool === undefined ? [] : [`Tool: ${tool}`]),
    ...approvalLines(facts),
    ...correctionLines(facts),
    ...(hint === undefined ? [] : [BLANK, line(0, hint)]),
  ];
}

/** The pending approval and how long it stays valid. */
function approvalLines({ approval_id: id, expires_in_seconds: seconds }: DiscoveryError["facts"]): Line[] {
  if (typeof id !== "string") return [];
  const wait = typeof seconds === "number" ? ` (expires in ${describeSpan(seconds * 1000)})` : "";
  return [`Approval: ${id}${wait}`];
}

/** The errors in the arguments, and the tool's signature. */
function correctionLines({ violations, signature }: DiscoveryError["facts"]): Line[] {
  if (!Array.isArray(violations)) return [];
  return [
    BLANK,
    ...violations.map((violation) => line(2, String(violation))),
    ...(typeof signature === "string" ? [BLANK, `Signature: ${signature}`] : []),
  ];
}

/** An event as text, such as `[3/10] copying` or `info logger: message`. */
export function describeEvent(event: CallEvent): string {
  if (event.kind === "progress") {
    const { progress, total, message } = event;
    return `[${progress}${total === undefined ? "" : `/${total}`}]${message === undefined ? "" : ` ${message}`}`;
  }
  const { level, logger, data } = event;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`;
}

const WOULD: Readonly<Record<string, string>> = {
  execute: "run",
  replay: "return the stored result of the first call with this key, without running the tool again",
  ask_for_confirmation: "wait for a confirmation before it runs",
};

/** The result of `--dry-run` as text. */
function dryRunLines(answer: CallResult): Line[] {
  const { structuredContent: plan } = answer;
  if (!isJsonObject(plan)) return resultLines(answer, 0);
  const {
    would,
    risk,
    risk_origin: origin,
    approval_id: approval,
    idempotency_key: key,
    rate_limit_bucket: bucket,
  } = plan;
  return [
    line(0, "The call would ", bold(WOULD[String(would)] ?? String(would)), "."),
    BLANK,
    line(0, "Risk: ", riskPart(String(risk)), ` (${String(origin)})`),
    ...(typeof approval === "string" ? [`Approval: ${approval} allows this call`] : []),
    ...(typeof key === "string" ? [`Idempotency key: ${key}`] : []),
    ...(typeof bucket === "string" && would !== "replay" ? [`Rate limit: counts as one call in ${bucket}`] : []),
    line(0, dim("Nothing was sent: approvals, idempotency keys and rate limits are unchanged.")),
  ];
}
