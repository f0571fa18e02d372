import { z } from "zod";
import type { Execute } from "../executor/execute.js";
import { isIdempotencyKey } from "../model/call.js";
import { KEY_RULE, idempotencyKeyOf } from "./call-key.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";

const options = z.strictObject({
  timeout: z.number().min(1).max(900).optional().describe("Seconds without progress, default 30"),
  // `refine` is not part of the published schema, which saves tokens. A caller with an invalid key gets KEY_RULE in the error.
  idempotency_key: z
    .string()
    .refine(isIdempotencyKey, KEY_RULE)
    .optional()
    .describe("Runs once per key; reuse the same key when retrying the same call"),
  confirmed: z.boolean().optional().describe("Your user agreed, after CONFIRMATION_REQUIRED"),
  dry_run: z.boolean().optional().describe("Only report what would happen"),
});

export function executeTool(execute: Execute): MetaTool {
  return defineMetaTool({
    name: "execute_tool",
    description: "Run a tool found by search_tools. Returns the tool's own result.",
    input: z.strictObject({
      server: z.string().min(1),
      tool: z.string().min(1),
      // Published as an object; the string that some models send instead is parsed by the executor.
      arguments: z.unknown().meta({ type: "object", description: "The tool's arguments" }),
      options: options.optional(),
    }),
    readOnly: false,
    // Models omit the arguments of tools without parameters.
    defaults: { arguments: {} },
    // The executor rejects ambiguous arguments, so that the rejected call is in the audit log.
    rejectsFlaws: true,
    async run({ server, tool, arguments: given, options: chosen = {} }, context) {
      const result = await execute({
        context,
        server,
        tool,
        arguments: given,
        // A client may send the key in `_meta` instead, so that the model does not have to.
        idempotencyKey: idempotencyKeyOf(context.meta, chosen.idempotency_key, "execute_tool"),
        timeoutMs: chosen.timeout === undefined ? undefined : chosen.timeout * 1000,
        confirmed: chosen.confirmed,
        dryRun: chosen.dry_run,
      });
      return { kind: "result", result };
    },
  });
}
