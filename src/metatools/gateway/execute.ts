import { z } from "zod";
import { isIdempotencyKey } from "../../model/call.js";
import { KEY_RULE, idempotencyKeyOf } from "../call-key.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
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
      };
      return { kind: "result", result: toResult(await executeOperation(request, table), table) };
    },
  });
}

function toResult({ wrapper, extraContent, meta, isError }: OperationAnswer, { nameOf }: GatewayTable) {
  const next = isError
    ? `Correct the problem that \`error\` describes and call ${nameOf("execute")} again, or call ${nameOf("reference")} with the tool_id as topic.`
    : `The result is in \`data\`. For the next task, call ${nameOf("intent")}.`;
  return {
    content: [{ type: "text", text: JSON.stringify({ ...wrapper, next_step: next }) }, ...extraContent],
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(isError ? { isError } : {}),
  };
}
