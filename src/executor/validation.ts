import { Worker } from "node:worker_threads";
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { builtFile } from "../util/built-file.js";
import { compileCheck, type ValueCheck, type ArgumentViolation } from "./check-value.js";
import { isPlainSchema, isSmallValue } from "./plain-schema.js";
import { assertSchemaWithinLimits } from "./schema-limits.js";
import type { CheckReply, CheckRequest } from "./validation-worker.js";

/**
 * Validates arguments against a tool's schema: simple schemas on the main thread, others in a worker thread with a time
 * limit.
 */
export interface Validation {
  check(tool: Tool, value: unknown): Promise<readonly ArgumentViolation[]>;
  close(): Promise<void>;
}

/**
 * The longest time to compile and evaluate one schema. If it is exceeded, the worker is terminated and the arguments
 * are rejected.
 */
const BUDGET_MS = 300;
/**
 * The maximum number of schemas that the worker keeps. Once it has this many, it is restarted before the next check, to
 * free their memory.
 */
const MAX_KNOWN_SCHEMAS = 2000;
/** How long the worker may be idle before it is terminated to free its memory. */
const IDLE_MS = 60_000;

export function createValidation(budgetMs = BUDGET_MS): Validation {
  let worker: Promise<Worker> | undefined;
  let known = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  /** The checks for the main thread, by tool definition; null for schemas that only the worker may evaluate. */
  const plain = new WeakMap<object, ValueCheck | null>();
  const slow = createStrikes();

  const plainCheck = (tool: Tool): ValueCheck | null => {
    const { definition } = tool;
    const known = plain.get(definition);
    if (known !== undefined) return known;
    const check = isPlainSchema(definition.inputSchema) ? compilePlain(definition.inputSchema) : null;
    plain.set(definition, check);
    return check;
  };

  const terminate = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    known = new Set();
    clearTimeout(idle);
    await (await ending?.catch(() => undefined))?.terminate();
  };

  const send = async (tool: Tool, value: unknown): Promise<CheckReply | { kind: "late" }> => {
    if (known.size >= MAX_KNOWN_SCHEMAS) await terminate();
    worker ??= startWorker();
    const running = await worker;
    const isKnown = known.has(tool.hash);
    const request: CheckRequest = {
      key: tool.hash,
      ...(isKnown ? {} : { schema: JSON.stringify(tool.definition.inputSchema) }),
      value: JSON.stringify(value),
    };
    known.add(tool.hash);
    return await exchange(running, request, budgetMs);
  };

  const checkInWorker = async (tool: Tool, value: unknown): Promise<readonly ArgumentViolation[]> => {
    clearTimeout(idle);
    try {
      const reply = await send(tool, value);
      if (reply.kind === "checked") return reply.violations;
      if (reply.kind === "late") {
        slow.strike(tool.hash);
        await terminate();
        throw tooSlow(tool, budgetMs);
      }
      known.delete(tool.hash);
      throw unusable(tool, reply.kind === "unusable" ? reply.reason : "the validation worker gave no result");
    } catch (error) {
      if (!(error instanceof DiscoveryError)) await terminate();
      throw error instanceof DiscoveryError ? error : unusable(tool, (error as Error).message);
    } finally {
      idle = setTimeout(() => void terminate(), IDLE_MS).unref();
    }
  };

  return {
    // The worker gets one value at a time, so that the time limit applies to that value only.
    async check(tool, value) {
      const check = plainCheck(tool);
      if (check !== null && isSmallValue(value)) return checkOnMainThread(check, tool, value);
      if (slow.isBlocked(tool.hash)) throw tooSlow(tool, budgetMs);
      if (!known.has(tool.hash)) assertSchemaWithinLimits(tool.definition.inputSchema, tool.id);
      const result = queue.then(() => checkInWorker(tool, value));
      queue = result.catch(() => undefined);
      return await result;
    },
    close: terminate,
  };
}

function checkOnMainThread(check: ValueCheck, tool: Tool, value: unknown): readonly ArgumentViolation[] {
  try {
    return check(value);
  } catch (error) {
    throw unusable(tool, error instanceof Error ? error.message : String(error));
  }
}

const MAX_STRIKES = 3;
const BLOCKED_MS = 60_000;

/**
 * Counts how often schemas exceed the time limit. A schema that does so repeatedly is blocked for some time, so that it
 * does not delay other calls.
 */
function createStrikes() {
  const strikes = new Map<string, { count: number; until: number }>();
  const current = (hash: string) => {
    const found = strikes.get(hash);
    return found !== undefined && found.until > performance.now() ? found : undefined;
  };
  return {
    strike: (hash: string): void => {
      strikes.set(hash, { count: (current(hash)?.count ?? 0) + 1, until: performance.now() + BLOCKED_MS });
    },
    isBlocked: (hash: string): boolean => (current(hash)?.count ?? 0) >= MAX_STRIKES,
  };
}

/** Compiles a simple schema. Null if its dialect is unknown: the worker then returns an error for the caller. */
function compilePlain(schema: JsonObject): ValueCheck | null {
  try {
    return compileCheck(schema);
  } catch {
    return null;
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(builtFile("validation-worker.js"), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 },
  });
  await new Promise<void>((resolve, reject) => {
    worker.once("message", () => resolve());
    worker.once("error", reject);
  });
  worker.unref();
  return worker;
}

function exchange(worker: Worker, request: CheckRequest, budgetMs: number): Promise<CheckReply | { kind: "late" }> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (act: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      worker.removeAllListeners("message").removeAllListeners("error").removeAllListeners("exit");
      // A terminated worker may still emit `error`, and an `error` event without a listener ends the process.
      worker.on("error", () => undefined);
      act();
    };
    // If the main thread was blocked, a reply may already have arrived: setImmediate lets it be read before the timeout
    // counts.
    const timer = setTimeout(() => setImmediate(() => settle(() => resolve({ kind: "late" }))), budgetMs);
    worker.once("message", (reply: CheckReply) => settle(() => resolve(reply)));
    worker.once("error", (error) => settle(() => reject(error)));
    worker.once("exit", () => settle(() => reject(new Error("the validation worker exited early"))));
    worker.postMessage(request);
  });
}

function tooSlow(tool: Tool, budgetMs: number): DiscoveryError {
  return unusable(tool, `the check took longer than ${budgetMs} ms`);
}

function unusable(tool: Tool, reason: string): DiscoveryError {
  return new DiscoveryError(
    "TOOL_VALIDATION_ERROR",
    `The arguments could not be checked against the schema of ${tool.id}: ${reason}.`,
    {
      hint: "The call was not sent. If other arguments fail too, report the schema to the author of the server.",
    },
  );
}
