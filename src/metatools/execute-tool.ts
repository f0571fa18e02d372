import { z } from "zod";
import { DiscoveryError } from "../errors.js";
import type { Execute } from "../executor/execute.js";
import type { JsonObject } from "../model/json.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";

/** Where a client may put the key instead: a model need not know of it then. */
export const KEY_IN_META = "anygpt/idempotencyKey";

const isKey = (value: unknown): boolean => typeof value === "string" && /^[!-~]{1,255}$/.test(value);
const KEY_RULE = "expected 1 to 255 visible ASCII characters";

const options = z.strictObject({
  timeout: z.number().min(1).max(900).optional().describe("Seconds without progress, default 30"),
  // A refinement is not published: the characters of a key are told to who gets them wrong.
  idempotency_key: z
    .string()
    .refine(isKey, KEY_RULE)
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
    async run({ server, tool, arguments: given, options: chosen = {} }, { signal, meta, ...caller }) {
      const { idempotencyKey, passedOn } = splitMeta(meta, chosen.idempotency_key);
      const call = {
        ...caller,
        server,
        tool,
        arguments: given,
        ...(passedOn === undefined ? {} : { meta: passedOn }),
        ...(chosen.timeout === undefined ? {} : { timeoutMs: chosen.timeout * 1000 }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(chosen.confirmed === undefined ? {} : { confirmed: chosen.confirmed }),
        ...(chosen.dry_run === undefined ? {} : { dryRun: chosen.dry_run }),
      };
      return { kind: "result", result: await execute(call, signal) };
    },
  });
}

interface SplitMeta {
  readonly idempotencyKey: string | undefined;
  /** The key is between the caller and us: the server does not see it. */
  readonly passedOn: JsonObject | undefined;
}

function splitMeta(meta: JsonObject | undefined, chosen: string | undefined): SplitMeta {
  if (meta === undefined || !(KEY_IN_META in meta)) return { idempotencyKey: chosen, passedOn: meta };
  const { [KEY_IN_META]: key, ...rest } = meta;
  if (typeof key !== "string" || !isKey(key)) throw wrongKey(`_meta["${KEY_IN_META}"]: ${KEY_RULE}`);
  if (chosen !== undefined && chosen !== key)
    throw wrongKey(`_meta["${KEY_IN_META}"] and options.idempotency_key are not the same`);
  return { idempotencyKey: key, passedOn: Object.keys(rest).length > 0 ? rest : undefined };
}

function wrongKey(problem: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `execute_tool was called wrongly: ${problem}.`, {
    hint: "Pass one key, in one of the two places, and call again.",
    facts: { problems: [problem] },
  });
}
