import { z } from "zod";
import type { Execute } from "../executor/execute.js";
import { READ_RESULT } from "../model/built-in.js";
import { isIdempotencyKey } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import { KEY_RULE, idempotencyKeyOf } from "./call-key.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import { resultChoices } from "./result-choices.js";

const options = z.strictObject({
  timeout: z.number().min(1).max(900).optional().describe("Seconds without progress, default 30"),
  // The check in `refine` is not part of the published JSON Schema, which saves tokens. A caller with an invalid key
  // gets the text KEY_RULE in the error.
  idempotency_key: z
    .string()
    .refine(isIdempotencyKey, KEY_RULE)
    .optional()
    .describe("Runs once per key; reuse the same key when retrying the same call"),
  confirmed: z.boolean().optional().describe("Your user agreed, after CONFIRMATION_REQUIRED"),
  dry_run: z.boolean().optional().describe("Only report what would happen"),
  ...resultChoices,
});

export function executeTool(execute: Execute): MetaTool {
  return defineMetaTool({
    name: "execute_tool",
    description: "Run a tool found by search_tools. Returns the tool's own result.",
    input: z.strictObject({
      server: z.string(),
      tool: z.string().min(1),
      // The published JSON Schema says "object". Some models send a JSON string instead, which the executor parses.
      arguments: z.unknown().meta({ type: "object", description: "The tool's arguments" }),
      options: options.optional(),
    }),
    readOnly: false,
    // Models omit `arguments` if the tool has no parameters, and `server` if they know only the name of the tool.
    defaults: { arguments: {}, server: "" },
    aliases: { args: "arguments", params: "arguments" },
    // Ambiguous arguments are rejected by the executor instead of here, so that the rejected call is in the audit log.
    rejectsFlaws: true,
    async run({ server, tool, arguments: given, options: chosen = {} }, context) {
      const result = await execute({
        context,
        server,
        tool,
        arguments: given,
        // A client may send the idempotency key in `_meta`, so that the model does not have to.
        idempotencyKey: idempotencyKeyOf(context.meta, chosen.idempotency_key, "execute_tool"),
        timeoutMs: chosen.timeout === undefined ? undefined : chosen.timeout * 1000,
        confirmed: chosen.confirmed,
        dryRun: chosen.dry_run,
        select: chosen.select,
        maxTokens: chosen.max_tokens,
        describeReading: describeExecution,
      });
      return { kind: "result", result };
    },
  });
}

function describeExecution(args: JsonObject): string {
  return `execute_tool ${JSON.stringify({ server: READ_RESULT.server, tool: READ_RESULT.name, arguments: args })}`;
}
