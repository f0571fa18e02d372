import { z } from "zod";

export const executionOptions = z
  .strictObject({
    timeoutMs: z
      .number()
      .int()
      .min(100)
      .max(900_000)
      .default(30_000)
      .describe("Longest silence of a running call; every progress report of the server starts it anew."),
    maxTotalMs: z
      .number()
      .int()
      .min(100)
      .max(86_400_000)
      .default(900_000)
      .describe("Longest duration of a call, progress or not."),
    resultLimit: z
      .number()
      .int()
      .min(1024)
      .max(10_485_760)
      .default(262_144)
      .describe("Bytes of text and structured content that one answer may hold; the rest is kept as a resource."),
    keepResultsMs: z
      .number()
      .int()
      .min(1000)
      .max(86_400_000)
      .default(600_000)
      .describe("How long the whole of a cut result stays readable."),
  })
  .describe("Limits of one execution.");

export type ExecutionOptions = z.output<typeof executionOptions>;
