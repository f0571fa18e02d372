import { z } from "zod";
import type { Execute } from "../executor/execute.js";
import { type Call, isIdempotencyKey } from "../model/call.js";
import { KEY_RULE, takeKey } from "./call-key.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";

const options = z.strictObject({
  timeout: z.number().min(1).max(900).optional().describe("Seconds without progress, default 30"),
  // A refinement is not published: the characters of a key are told to who gets them wrong.
  idempotency_key: z
    .string()
    .refine(isIdempotencyKey, KEY_RULE)
    .optional()
    .describe("Runs once per key; reuse the same key when retrying the same call"),
  confirmed: z.boolean().optional().describe("Your user agreed, after CONFIRMATION_REQUIRED"),
  dry_run: z.boolean().optional().describe("Only say what would happen"),
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
    // Models leave them out for tools without parameters.
    assumed: { arguments: {} },
    // The executor refuses them: a refused call, too, is on record.
    judgesFlaws: true,
    async run(
      { server, tool, arguments: given, options: chosen = {} },
      { signal, meta, actor, flaws, onEvent, ask, peer, logLevel },
    ) {
      // A client may put the key into the metadata instead: a model need not know of it then.
      const keyed = takeKey(meta, chosen.idempotency_key, "execute_tool");
      const call: Call = {
        actor,
        server,
        tool,
        arguments: given,
        meta: keyed.meta,
        idempotencyKey: keyed.idempotencyKey,
        timeoutMs: chosen.timeout === undefined ? undefined : chosen.timeout * 1000,
        confirmed: chosen.confirmed,
        dryRun: chosen.dry_run,
        flaws,
        onEvent,
        ask,
        peer,
        logLevel,
      };
      return { kind: "result", result: await execute(call, signal) };
    },
  });
}
