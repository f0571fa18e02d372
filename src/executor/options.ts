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
    keepResultsMs: z
      .number()
      .int()
      .min(1000)
      .max(86_400_000)
      .default(600_000)
      .describe("How long the gateway stores the full version of a truncated result, in milliseconds."),
  })
  .describe("Limits of one tool call.");

export type ExecutionOptions = z.output<typeof executionOptions>;
