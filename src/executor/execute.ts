// One call comes in; resolve, decide, validate, send, limit, record; the tool's answer goes out unchanged.
// It refuses to know how tools are found and how servers are reached.
import { toSignature } from "../catalog/signature.js";
import { DiscoveryError, type Executed, toDiscoveryError } from "../errors.js";
import type { Actor } from "../model/actor.js";
import type { Call, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { type Tool, toolId } from "../model/tool.js";
import { isWithinDepth } from "../util/depth.js";
import type { Violation } from "./check-value.js";
import { limitResult, type ResultLimit } from "./limit-result.js";
import type { ExecutionOptions } from "./options.js";
import type { Validation } from "./validation.js";

export interface ExecutorParts {
  /** Finds the tool, disabled ones too, or throws TOOL_NOT_FOUND or SERVER_NOT_FOUND with the nearest names. */
  readonly resolve: (call: Call, waitMs: number, signal?: AbortSignal) => Promise<Tool>;
  /** Why the rules disable the tool, for the error. */
  readonly explain: (tool: Tool) => string;
  readonly validation: Validation;
  readonly send: (tool: Tool, outgoing: OutgoingCall, signal?: AbortSignal) => Promise<CallResult>;
  /** Throws AUDIT_UNAVAILABLE when an execution could not be recorded: then nothing is sent. */
  readonly assertRecordable: () => Promise<void>;
  readonly record: (entry: CallRecord) => Promise<void>;
  readonly limit: ResultLimit;
  readonly options: ExecutionOptions;
  /** A call waits for a server that has to be started first within its own timeout, and at most so long. */
  readonly startWaitMs: number;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
  readonly log: (message: string) => void;
}

export interface OutgoingCall {
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
  readonly timeoutMs: number;
  readonly startWaitMs: number;
  readonly maxTotalMs: number;
  readonly onEvent?: NonNullable<Call["onEvent"]>;
}

/** What the audit needs to know of one execution. */
export interface CallRecord {
  readonly requestId: string;
  readonly actor: Actor;
  readonly toolId: string;
  readonly arguments: unknown;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome:
    | { readonly kind: "answered"; readonly isError: boolean }
    | { readonly kind: "failed"; readonly error: DiscoveryError };
}

export type Execute = (call: Call, signal?: AbortSignal) => Promise<CallResult>;

const MAX_ARGUMENT_DEPTH = 64;

export function createExecute(parts: ExecutorParts): Execute {
  return async (call, signal) => {
    const requestId = parts.newId();
    const startedAt = parts.now();
    const from = parts.elapsed();
    const finish = async (outcome: CallRecord["outcome"]): Promise<void> => {
      await parts.record({
        requestId,
        actor: call.actor,
        toolId: toolId(call.server, call.tool),
        arguments: call.arguments,
        startedAt,
        durationMs: parts.elapsed() - from,
        outcome,
      });
    };

    // Who hears of a failure must know whether the tool ran, also when it is the record that failed.
    const tell = (thrown: unknown, executed: Executed): DiscoveryError =>
      toDiscoveryError(thrown, executed).about({
        server: call.server,
        tool: call.tool,
        request_id: requestId,
        executed,
      });
    let isSent = false;
    const send: ExecutorParts["send"] = (...args) => {
      isSent = true;
      return parts.send(...args);
    };

    let answer: CallResult;
    try {
      const result = await carryOut(call, { ...parts, send }, signal);
      answer = call.whole === true ? result : limitResult(result, parts.limit);
    } catch (thrown) {
      const error = tell(thrown, thrown instanceof DiscoveryError || !isSent ? "no" : "unknown");
      if (error.code === "INTERNAL_ERROR") parts.log(`Request ${requestId} failed: ${describeDefect(thrown)}`);
      await finish({ kind: "failed", error }).catch((failure: unknown) => {
        throw error.code === "AUDIT_UNAVAILABLE" ? error : tell(failure, error.executed);
      });
      throw error;
    }
    // A call we cannot record fails, even if the upstream succeeded: an unaudited success is the one outcome we never report.
    await finish({ kind: "answered", isError: answer.isError === true }).catch((failure: unknown) => {
      throw tell(failure, "yes");
    });
    return answer;
  };
}

async function carryOut(call: Call, parts: ExecutorParts, signal?: AbortSignal): Promise<CallResult> {
  const timeoutMs = call.timeoutMs ?? parts.options.timeoutMs;
  const startWaitMs = call.startWaitMs ?? Math.min(timeoutMs, parts.startWaitMs);
  const tool = await parts.resolve(call, startWaitMs, signal);
  if (!tool.enabled) throw disabled(tool, parts.explain(tool));
  const given = toArguments(call.arguments, tool);
  const violations = await parts.validation.check(tool, given);
  if (violations.length > 0) throw invalid(tool, violations);
  await parts.assertRecordable();
  if (signal?.aborted)
    throw new DiscoveryError("CANCELLED", `The call of ${tool.id} was cancelled before it was sent.`);
  return await parts.send(
    tool,
    {
      arguments: given,
      timeoutMs,
      startWaitMs,
      maxTotalMs: parts.options.maxTotalMs,
      ...(call.meta === undefined ? {} : { meta: call.meta }),
      ...(call.onEvent === undefined ? {} : { onEvent: guarded(call.onEvent, parts.log) }),
    },
    signal,
  );
}

/** A listener that throws is the caller's defect; the call goes on. */
function guarded(onEvent: NonNullable<Call["onEvent"]>, log: ExecutorParts["log"]): NonNullable<Call["onEvent"]> {
  return (event) => {
    try {
      onEvent(event);
    } catch (error) {
      log(`A listener failed: ${describeDefect(error)}`);
    }
  };
}

/** Some models send the arguments as a string that holds JSON. */
function toArguments(given: unknown, tool: Tool): JsonObject {
  const value = typeof given === "string" ? parseObject(given) : (given ?? {});
  if (!isJsonObject(value)) {
    throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments of ${tool.id} are not an object.`, {
      hint: `Pass an object that fits ${toSignature(tool.definition)}.`,
    });
  }
  if (!isWithinDepth(value, MAX_ARGUMENT_DEPTH)) {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `The arguments of ${tool.id} are nested deeper than ${MAX_ARGUMENT_DEPTH} levels.`,
      {
        hint: "Pass a flatter value.",
      },
    );
  }
  return value;
}

function parseObject(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

function disabled(tool: Tool, reason: string): DiscoveryError {
  return new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${reason}.`, {
    hint: "Choose another tool, or ask the person who runs the gateway to change toolRules.",
  });
}

const MAX_VIOLATIONS = 25;

function invalid(tool: Tool, violations: readonly Violation[]): DiscoveryError {
  const more = violations.length - MAX_VIOLATIONS;
  const listed = violations.slice(0, MAX_VIOLATIONS).map(({ path, message }) => `${path} ${message}`.trimStart());
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments do not fit ${tool.id}.`, {
    hint: "Correct them to fit the signature and call again.",
    facts: {
      violations: more > 0 ? [...listed, `and ${more} more`] : listed,
      signature: toSignature(tool.definition),
    },
  });
}

function describeDefect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
