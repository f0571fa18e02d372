import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import { toExecutionResult } from "../../metatools/to-execution-result.js";
import type { CallResult } from "../../model/call.js";
import { traceMeta } from "../../tracing/trace-context.js";
import { type Answer, toAnswer } from "./answer.js";
import { replayed, toProblem } from "./problem.js";
import { defineRoute } from "./route.js";
import { adapter, tool } from "./names.js";

const header = {
  "Idempotency-Key": z
    .string()
    .regex(/^[!-~]{1,255}$/, "expected 1 to 255 visible ASCII characters")
    .optional()
    .describe(
      "Runs once per key: the same call with the same key gets the first one's answer. Reuse it when retrying.",
    ),
  "X-AnyGPT-Confirmed": z
    .boolean()
    .optional()
    .describe("Your person agreed; counts on the same call repeated after CONFIRMATION_REQUIRED."),
  "X-AnyGPT-Dry-Run": z.boolean().optional().describe("Nothing is sent; the result says what would happen."),
  "X-AnyGPT-Timeout": z.number().min(1).max(900).optional().describe("Seconds without progress, default 30."),
};

/** All headers that a call may carry beside its token and its type. */
export const CALL_HEADERS: readonly string[] = Object.keys(header);

const answers = z
  .object({
    success: z.literal(true),
    result: z.unknown().describe("The tool's value: its structured content, else its text, parsed where that is JSON."),
    content: z.array(z.looseObject({})).optional().describe("The tool's content as it sent it, where not all is text."),
    replayed: z.literal(true).optional().describe("Nothing ran this time: it is the first call's answer."),
  })
  .meta({ description: "What the tool answered." });

export const executeTool = defineRoute({
  method: "POST",
  at: "/api/adapters/{adapter}/tools/{tool}",
  operationId: "executeTool",
  summary: "Run a tool.",
  path: { adapter, tool },
  query: {},
  header,
  body: "The tool's arguments.",
  answers,
  async run(given, { stages, actor, incoming, body: { value, flaws }, signal, requestId }) {
    const { execute, place } = await stages();
    const timeout = given["X-AnyGPT-Timeout"];
    const idempotencyKey = given["Idempotency-Key"];
    const meta = traceMeta(incoming.headers);
    const result = await execute(
      {
        actor,
        server: given.adapter,
        tool: given.tool,
        arguments: value,
        whole: true,
        requestId,
        ...(meta === undefined ? {} : { meta }),
        confirmed: given["X-AnyGPT-Confirmed"] === true,
        dryRun: given["X-AnyGPT-Dry-Run"] === true,
        ...(flaws.length > 0 ? { flaws } : {}),
        ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      },
      signal,
    );
    return toRestAnswer(result, given, { requestId, secrets: place.secrets });
  },
});

/** What a tool reports as its own failure is a failure here: programs look at the status. */
function toRestAnswer(
  result: CallResult,
  { adapter: server, tool: name }: { adapter: string; tool: string },
  parts: Parameters<typeof toProblem>[1],
): Answer {
  const told = toExecutionResult(result, server, name);
  if (told.success) return toAnswer({ ...told }, replayed({ ...told }));
  const { error, success: _failed, ...beside } = told;
  const failure = new DiscoveryError("TOOL_EXECUTION_ERROR", String(error["message"]), {
    server,
    tool: name,
    executed: "yes",
    hint: "The tool itself says so: correct the arguments, or look at what it says.",
  });
  return toProblem(failure, { ...parts, beside });
}
