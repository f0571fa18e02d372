import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import { toExecutionResult } from "../../metatools/to-execution-result.js";
import type { CallResult } from "../../model/call.js";
import { type HttpAnswer, toAnswer } from "./answer.js";
import { replayed, toProblem } from "./problem.js";
import { defineRoute } from "./route.js";
import { adapterName, tool } from "./names.js";

const header = {
  "Idempotency-Key": z
    .string()
    .regex(/^[!-~]{1,255}$/, "expected 1 to 255 visible ASCII characters")
    .optional()
    .describe(
      "Runs once per key: the same call with the same key returns the answer of the first call. Reuse the key when retrying.",
    ),
  "X-AnyGPT-Confirmed": z
    .boolean()
    .optional()
    .describe("The user agreed; valid for the same call repeated after CONFIRMATION_REQUIRED."),
  "X-AnyGPT-Dry-Run": z.boolean().optional().describe("Sends nothing; the result says what would happen."),
  "X-AnyGPT-Timeout": z.number().min(1).max(900).optional().describe("Seconds without progress, default 30."),
};

/** All headers that a call may have besides its token and content type. */
export const CALL_HEADERS: readonly string[] = Object.keys(header);

const answers = z
  .object({
    success: z.literal(true),
    result: z
      .unknown()
      .describe("The value of the tool: its structured content or, without it, its text, parsed if it is JSON."),
    content: z
      .array(z.looseObject({}))
      .optional()
      .describe("The unchanged content of the tool, if not all of it is text."),
    replayed: z.literal(true).optional().describe("The tool did not run again: this is the answer of the first call."),
  })
  .meta({ description: "The result of the tool." });

export const executeRoute = defineRoute({
  method: "POST",
  at: "/api/adapters/{adapter}/tools/{tool}",
  operationId: "executeTool",
  summary: "Run a tool.",
  path: { adapter: adapterName, tool },
  query: {},
  header,
  body: "The tool's arguments.",
  answers,
  async run(given, { stages, context, body, requestId }) {
    const { execute, runtime } = await stages();
    const timeout = given["X-AnyGPT-Timeout"];
    const result = await execute({
      context,
      server: given.adapter,
      tool: given.tool,
      arguments: body.value,
      requestId,
      confirmed: given["X-AnyGPT-Confirmed"],
      dryRun: given["X-AnyGPT-Dry-Run"],
      timeoutMs: timeout === undefined ? undefined : Math.round(timeout * 1000),
      idempotencyKey: given["Idempotency-Key"],
    });
    return toRestAnswer(result, given, { requestId, secrets: runtime.secrets });
  },
});

/** A failure reported by the tool itself is an HTTP error here, because programs check the status. */
function toRestAnswer(
  result: CallResult,
  { adapter: server, tool: name }: { adapter: string; tool: string },
  parts: Parameters<typeof toProblem>[1],
): HttpAnswer {
  const outcome = toExecutionResult(result, server, name);
  if (outcome.success) return toAnswer({ ...outcome }, replayed({ ...outcome }));
  const { error, success: _failed, ...otherMembers } = outcome;
  const failure = new DiscoveryError("TOOL_EXECUTION_ERROR", error.message, {
    server,
    tool: name,
    executed: "yes",
    hint: "The tool reported this error: read its message and correct the arguments.",
  });
  return toProblem(failure, { ...parts, otherMembers });
}
