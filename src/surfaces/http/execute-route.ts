import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import { resultTokens } from "../../executor/options.js";
import { toExecutionResult } from "../../metatools/to-execution-result.js";
import { BUILT_IN_SERVER, READ_RESULT } from "../../model/built-in.js";
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
      "The tool runs once per key: the same call with the same key returns the result of the first call. Reuse the key when you repeat a call.",
    ),
  "X-AnyGPT-Confirmed": z
    .boolean()
    .optional()
    .describe(
      "`true`: the user has confirmed this call. Takes effect only if the same call failed with CONFIRMATION_REQUIRED before.",
    ),
  "X-AnyGPT-Dry-Run": z
    .boolean()
    .optional()
    .describe("`true`: nothing is sent to the server; the result describes what the call would do."),
  "X-AnyGPT-Timeout": z
    .number()
    .min(1)
    .max(900)
    .optional()
    .describe("The timeout in seconds. Each progress report restarts it. Default: 30."),
  "X-AnyGPT-Select": z
    .string()
    .min(1)
    .optional()
    .describe("A JMESPath expression. The response has only the part of the result that it selects."),
  "X-AnyGPT-Max-Tokens": resultTokens
    .optional()
    .describe(
      "The budget for the result in estimated tokens. Of a larger result, the response has a shortened view, and `anygpt:read_result` reads the rest. Default: 0, no budget.",
    ),
};

/** The names of the request headers that a tool call may have, besides Authorization and Content-Type. */
export const CALL_HEADERS: readonly string[] = Object.keys(header);

const answers = z
  .object({
    success: z.literal(true),
    result: z
      .unknown()
      .describe(
        "The result of the tool: its structured content or, if there is none, its text content, parsed if it is JSON.",
      ),
    content: z
      .array(z.looseObject({}))
      .optional()
      .describe("The content as the tool sent it, if it contains more than text."),
    replayed: z
      .literal(true)
      .optional()
      .describe("The tool did not run for this call: this is the stored result of the first call with the same key."),
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
      select: given["X-AnyGPT-Select"],
      maxTokens: given["X-AnyGPT-Max-Tokens"],
      describeReading: (args) =>
        `POST /api/adapters/${BUILT_IN_SERVER}/tools/${READ_RESULT.name} ${JSON.stringify(args)}`,
    });
    return toRestAnswer(result, given, { requestId, secrets: runtime.secrets });
  },
});

/**
 * Converts the result of a call to a response. A failure that the tool itself reports (`isError`) becomes an HTTP
 * error, because programs check the status.
 */
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
    hint: "The tool itself reported this error: read the error message and correct the arguments.",
  });
  return toProblem(failure, { ...parts, otherMembers });
}
