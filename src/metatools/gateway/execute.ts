import { z } from "zod";
import { READ_RESULT } from "../../model/built-in.js";
import { isIdempotencyKey } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { KEY_RULE, idempotencyKeyOf } from "../call-key.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { resultChoices } from "../result-choices.js";
import { EXECUTION_MEMBER } from "../with-request-ids.js";
import { executeOperation, type OperationAnswer } from "./execute-operation.js";
import type { GatewayTable } from "./parts.js";

const MAX_TIMEOUT_MS = 900_000;
/** The minimum timeout. A smaller value was almost certainly meant in seconds, but the option is in milliseconds. */
const MIN_TIMEOUT_MS = 1_000;

const options = z.strictObject({
  timeout: z
    .int()
    .min(MIN_TIMEOUT_MS)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .meta({ description: "ms without progress, default 30000" }),
  idempotency_key: z
    .string()
    .refine(isIdempotencyKey, KEY_RULE)
    .optional()
    .describe("REQUIRED for high risk: runs once per key; reuse the same key when retrying the same call"),
  dry_run: z.boolean().optional().describe("Only report what would happen"),
  confirmed: z.boolean().optional().describe("Your user agreed, after CONFIRMATION_REQUIRED"),
  ...resultChoices,
});

export function gatewayExecute(table: GatewayTable): MetaTool {
  const name = table.nameOf("execute");
  return defineMetaTool({
    name,
    description: `Execute a tool found by ${table.nameOf("intent")}.`,
    input: z.strictObject({
      tool_id: z.string().min(1).describe("adapter:tool"),
      // The published JSON Schema says "object". Some models send a JSON string instead, which the executor parses.
      params: z.unknown().meta({ type: "object", description: "The tool's parameters" }),
      options: options.optional(),
    }),
    readOnly: false,
    // Models omit `params` if the tool has no parameters.
    defaults: { params: {} },
    // Ambiguous arguments are rejected by the executor instead of here, so that the rejected call is in the audit log.
    rejectsFlaws: true,
    async run({ tool_id: toolId, params, options: chosen = {} }, context) {
      const request = {
        context,
        toolId,
        params,
        idempotencyKey: idempotencyKeyOf(context.meta, chosen.idempotency_key, name),
        timeoutMs: chosen.timeout,
        confirmed: chosen.confirmed,
        dryRun: chosen.dry_run,
        select: chosen.select,
        maxTokens: chosen.max_tokens,
        describeReading: (args: JsonObject) => `${name} ${JSON.stringify({ tool_id: READ_RESULT.id, params: args })}`,
      };
      return { kind: "result", result: toResult(await executeOperation(request, table)) };
    },
  });
}

/**
 * Converts the wrapped result to an MCP result. The text, which the model reads, has only what the model does not know
 * yet: `data` or `error`. The id of the tool, the time and the risk of the operation are in `_meta`.
 */
function toResult({ wrapper, extraContent, meta = {}, isError }: OperationAnswer) {
  const { success, data, error, meta: operation, execution_time_ms: time } = wrapper;
  const { replayed, ...facts } = isJsonObject(operation) ? operation : {};
  const answer = {
    success,
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error: withoutNames(error), next_step: AFTER_TOOL_ERROR }),
    ...(replayed === undefined ? {} : { replayed }),
  };
  return {
    content: [{ type: "text", text: JSON.stringify(answer) }, ...extraContent],
    _meta: { ...meta, [EXECUTION_MEMBER]: { ...facts, execution_time_ms: time } },
    ...(isError ? { isError } : {}),
  };
}

/** The tool ran and reported a failure, so the same call would fail again or repeat its effects. */
const AFTER_TOOL_ERROR = "Do not repeat the call unchanged.";

/** Removes the names of the tool, which the caller has sent, and its risk, which is in `_meta`. */
function withoutNames(error: unknown): unknown {
  if (!isJsonObject(error)) return error;
  const { server: _server, tool: _tool, risk_level: _risk, ...rest } = error;
  return rest;
}
