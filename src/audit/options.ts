import { z } from "zod";

export const auditOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Record every execution. A call that cannot be recorded fails."),
    keepRecords: z
      .number()
      .int()
      .min(1000)
      .max(10_000_000)
      .default(100_000)
      .describe(
        "How many records stay in the store; older ones move into files in the folder `audit` of the state folder.",
      ),
    keepDays: z
      .number()
      .int()
      .min(1)
      .max(36_500)
      .default(365)
      .describe("How long a record stays in the store, in days, before it moves into such a file."),
    sync: z
      .enum(["every", "risky"])
      .default("every")
      .describe(
        "Which outcomes are safe from a loss of power before the caller hears them: those of every call, or of risky ones (medium and above). The others survive a crash of the gateway and are safe some seconds later, which saves the wait for the disk.",
      ),
    arguments: z
      .boolean()
      .default(false)
      .describe("Record the arguments of each call as well, with secrets hidden, up to 8 KiB."),
  })
  .describe("The record of every execution: who called which tool when, and how it ended. Never results.");

export type AuditOptions = z.output<typeof auditOptions>;
