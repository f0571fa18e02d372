import type { DiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { toExecutionResult } from "../../metatools/to-execution-result.js";
import type { CallEvent, CallResult } from "../../model/call.js";
import type { Context } from "./context.js";
import { dryRunLines } from "./dry-run-lines.js";
import { inWordsOfTheCommandLine } from "./failure.js";
import { BAD, BLANK, bold, dim, GOOD, line, type Line } from "./lines.js";
import { resultLines } from "./result-lines.js";
import { describeSpan } from "./time-words.js";

/** How an execution is told, from its begin to its one end. */
export interface ExecutionOutput {
  begin(): void;
  event(event: CallEvent): void;
  answered(answer: CallResult): void;
  failed(error: DiscoveryError): void;
}

export interface ExecutionOutputParts {
  readonly context: Context;
  readonly server: string;
  readonly tool: string;
  /** Events are told as they come. */
  readonly isStream: boolean;
  /** The answer is what would happen. */
  readonly isDryRun: boolean;
}

export function createExecutionOutput(parts: ExecutionOutputParts): ExecutionOutput {
  return parts.context.isJson ? forPrograms(parts) : forPeople(parts);
}

/** One object; as a stream, one object per line, the last one included. */
function forPrograms({ context, server, tool, isStream }: ExecutionOutputParts): ExecutionOutput {
  const print = isStream ? context.jsonLine : context.json;
  return {
    begin: () => undefined,
    event: (event) => (isStream ? print(event) : undefined),
    answered: (answer) => print(toExecutionResult(answer, server, tool)),
    failed: (error) => print(toErrorObject(error)),
  };
}

function forPeople({ context, server, tool, isStream, isDryRun }: ExecutionOutputParts): ExecutionOutput {
  let gap: Line[] = [];
  return {
    begin: () => context.show([line(0, isDryRun ? "Dry run: " : "Executing: ", bold(`${server}:${tool}`)), BLANK]),
    event(event) {
      if (!isStream) return;
      context.show([line(0, dim(describeEvent(event)))]);
      gap = [BLANK];
    },
    answered(answer) {
      const told = toExecutionResult(answer, server, tool);
      if (isDryRun) context.show(dryRunLines(answer));
      else if (told.success) {
        context.show([...gap, line(0, GOOD, " Success"), BLANK, line(0, "Result:"), ...resultLines(answer)]);
      } else {
        const message = String(told.error["message"]);
        const attached = resultLines({ content: answer.content.filter((item) => item["type"] !== "text") }, 0);
        context.show([...gap, ...errorLines({ code: "TOOL_EXECUTION_ERROR", message, server, tool }), ...attached]);
      }
      if (told.replayed) context.note([REPLAYED]);
    },
    failed(error) {
      context.show([...gap, ...errorLines(error)]);
      const isSettled = error.code === "IDEMPOTENCY_OUTCOME_UNKNOWN";
      if (error.facts["replayed"] === true && !isSettled) context.note([REPLAYED]);
    },
  };
}

const REPLAYED = line(0, dim("Nothing ran this time: this is what the first call with the same key led to."));

type ErrorFacts = Pick<DiscoveryError, "code" | "message" | "server" | "tool"> &
  Partial<Pick<DiscoveryError, "hint" | "facts">>;

function errorLines({ code, message, server, tool, hint, facts = {} }: ErrorFacts): Line[] {
  return [
    line(0, BAD, " Error"),
    BLANK,
    line(0, `Code: ${code}`),
    line(0, `Message: ${message}`),
    ...(server === undefined ? [] : [line(0, `Server: ${server}`)]),
    ...(tool === undefined ? [] : [line(0, `Tool: ${tool}`)]),
    ...approvalLines(facts),
    ...correctionLines(facts),
    ...(hint === undefined ? [] : [BLANK, line(0, inWordsOfTheCommandLine(hint))]),
  ];
}

/** What waits for an answer, and how long. */
function approvalLines({ approval_id: id, expires_in_seconds: seconds }: DiscoveryError["facts"]): Line[] {
  if (typeof id !== "string") return [];
  const wait = typeof seconds === "number" ? ` (waits ${describeSpan(seconds * 1000)})` : "";
  return [line(0, `Approval: ${id}${wait}`)];
}

/** What is wrong with the arguments, and what the tool takes. */
function correctionLines({ violations, signature }: DiscoveryError["facts"]): Line[] {
  if (!Array.isArray(violations)) return [];
  return [
    BLANK,
    ...violations.map((violation) => line(2, String(violation))),
    ...(typeof signature === "string" ? [BLANK, line(0, `Signature: ${signature}`)] : []),
  ];
}

/** `[3/10] copying`, or `info logger: message`. */
export function describeEvent(event: CallEvent): string {
  if (event.kind === "progress") {
    const { progress, total, message } = event;
    return `[${progress}${total === undefined ? "" : `/${total}`}]${message === undefined ? "" : ` ${message}`}`;
  }
  const { level, logger, data } = event;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`;
}
