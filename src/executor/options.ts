import { z } from "zod";

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

const MIN_BYTES = 1024 * 1024;
const MAX_RESULTS = 100_000;

/** The section `results` of the configuration. */
export const resultOptions = z
  .strictObject({
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
    "Stored results: the full results of calls whose result was truncated. They are encrypted in the store, and only the caller of the call can read them. If a new result exceeds a maximum, the gateway deletes the oldest results.",
  );

export type ResultOptions = z.output<typeof resultOptions>;
