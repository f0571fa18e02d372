import { z } from "zod";
import { isIdempotencyKey } from "../../model/call.js";
import { KEY_RULE, takeKey } from "../call-key.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { executeOperation, type OperationAnswer } from "./execute-operation.js";
import type { GatewayTable } from "./parts.js";

const LONGEST_TIMEOUT_MS = 900_000;
/** Anything less is seconds, taken for milliseconds. */
const SHORTEST_TIMEOUT_MS = 1_000;

const options = z.strictObject({
  timeout: z
    .int()
    .min(SHORTEST_TIMEOUT_MS)
    .max(LONGEST_TIMEOUT_MS)
    .optional()
    .meta({ description: "ms without progress, default 30000" }),
  idempotency_key: z
    .string()
    .refine(isIdempotencyKey, KEY_RULE)
    .optional()
    .describe("REQUIRED for high risk: runs once per key; reuse the same key when retrying the same call"),
  dry_run: z.boolean().optional().describe("Only say what would happen"),
  confirmed: z.boolean().optional().describe("Your user agreed, after CONFIRMATION_REQUIRED"),
});

export function gatewayExecute(table: GatewayTable): MetaTool {
  const name = table.nameOf("execute");
  return defineMetaTool({
    name,
    description: `Execute a tool found by ${table.nameOf("intent")}.`,
    input: z.strictObject({
      tool_id: z.string().min(1).describe("adapter:tool"),
      // Published as an object; the string that some models send instead is parsed by the executor.
      params: z.unknown().meta({ type: "object", description: "The tool's parameters" }),
      options: options.optional(),
    }),
    readOnly: false,
    // Models leave them out for tools without parameters.
    assumed: { params: {} },
    // The executor refuses them: a refused call, too, is on record.
    judgesFlaws: true,
    async run({ tool_id: toolId, params, options: chosen = {} }, { signal, meta, ...caller }) {
      const request = {
        ...caller,
        toolId,
        params,
        ...takeKey(meta, chosen.idempotency_key, name),
        ...(chosen.timeout === undefined ? {} : { timeoutMs: chosen.timeout }),
        ...(chosen.confirmed === undefined ? {} : { confirmed: chosen.confirmed }),
        ...(chosen.dry_run === undefined ? {} : { dryRun: chosen.dry_run }),
      };
      return { kind: "result", result: toResult(await executeOperation(request, table, signal), table) };
    },
  });
}

function toResult({ wrapper, beside, meta, isError }: OperationAnswer, { nameOf }: GatewayTable) {
  const next = isError
    ? `Correct what the error says and call ${nameOf("execute")} again, or call ${nameOf("reference")} with the tool_id.`
    : `Use data; call ${nameOf("intent")} for the next task.`;
  return {
    content: [{ type: "text", text: JSON.stringify({ ...wrapper, next_step: next }) }, ...beside],
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(isError ? { isError } : {}),
  };
}
