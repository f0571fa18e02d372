import { z } from "zod";
import { MAX_RESULT_TOKENS, MIN_RESULT_TOKENS } from "../model/call.js";

export const executionOptions = z
  .strictObject({
    timeoutMs: z
      .number()
      .int()
      .min(100)
      .max(900_000)
      .default(30_000)
      .describe(
        "How long the gateway waits for a response from the server, in milliseconds. Every progress notification restarts the time.",
      ),
    maxTotalMs: z
      .number()
      .int()
      .min(100)
      .max(86_400_000)
      .default(900_000)
      .describe("The longest total duration of a call in milliseconds, with or without progress notifications."),
    resultLimit: z
      .number()
      .int()
      .min(1024)
      .max(10_485_760)
      .default(262_144)
      .describe(
        "The maximum number of bytes of text and structured content in one result. A larger result is truncated; the full result is stored and can be read as resources.",
      ),
  })
  .describe("Limits of one tool call.");

export type ExecutionOptions = z.output<typeof executionOptions>;

/** A budget for results in tokens; 0 switches the budget off. */
export const resultTokens = z
  .number()
  .int()
  .min(0)
  .max(MAX_RESULT_TOKENS)
  .refine(
    (tokens) => tokens === 0 || tokens >= MIN_RESULT_TOKENS,
    `expected 0 or a whole number from ${MIN_RESULT_TOKENS} to ${MAX_RESULT_TOKENS}`,
  );

const MIN_BYTES = 1024 * 1024;
const MAX_RESULTS = 100_000;

/** The section `results` of the configuration. */
export const resultOptions = z
  .strictObject({
    maxTokens: resultTokens
      .default(6000)
      .describe(
        "The budget for the result of one call, in estimated tokens. Of a larger result, the model gets a shortened view and can read the rest with `anygpt:read_result`. `0` switches the budget off. The command line, the REST API and the library return whole results unless a call has its own budget.",
      ),
    servers: z
      .record(z.string(), resultTokens)
      .default({})
      .describe("Other budgets for the results of single servers, by the name of the server."),
    tools: z
      .record(z.string(), resultTokens)
      .default({})
      .describe("Other budgets for the results of single tools, by the id of the tool (`server:tool`)."),
    keepMs: z
      .number()
      .int()
      .min(1000)
      .max(604_800_000)
      .default(86_400_000)
      .describe("How long a stored result can be read, in milliseconds."),
    maxBytesPerActor: z
      .number()
      .int()
      .min(MIN_BYTES)
      .default(64 * 1024 * 1024)
      .describe("The maximum number of bytes of the stored results of one caller, after compression."),
    maxBytes: z
      .number()
      .int()
      .min(MIN_BYTES)
      .default(256 * 1024 * 1024)
      .describe("The maximum number of bytes of all stored results, after compression."),
    maxResultsPerActor: z
      .number()
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(2000)
      .describe("The maximum number of stored results of one caller."),
    maxResults: z
      .number()
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(10_000)
      .describe("The maximum number of stored results of all callers."),
  })
  .describe(
    "The size of results, and the stored results: the full results of calls whose result was shortened. Stored results are encrypted in the store, and only the caller of the call can read them. If a new result exceeds a maximum, the gateway deletes the oldest results.",
  );

export type ResultOptions = z.output<typeof resultOptions>;
