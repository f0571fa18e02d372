import { z } from "zod";

export const auditOptions = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Whether to record every tool call. With `true`, a call that cannot be recorded fails."),
    keepRecords: z
      .number()
      .int()
      .min(1000)
      .max(10_000_000)
      .default(100_000)
      .describe(
        "The number of records that stay in the store. Older records are moved into files in the folder `audit` of the state folder.",
      ),
    keepDays: z
      .number()
      .int()
      .min(1)
      .max(36_500)
      .default(365)
      .describe(
        "The number of days after which a record is moved from the store into a file in the folder `audit` of the state folder.",
      ),
    sync: z
      .enum(["every", "risky"])
      .default("every")
      .describe(
        "Which outcomes are synced to disk before the caller receives the result: those of every call, or only those of risk medium and above. Other outcomes survive a crash of the gateway and are synced some seconds later, which saves the wait for the disk.",
      ),
    arguments: z
      .boolean()
      .default(false)
      .describe("Whether to also record the arguments of each call, with secrets redacted, up to 8 KiB."),
  })
  .describe(
    "The audit log of tool calls: who called which tool, when, and with which outcome. Results are never recorded.",
  );

export type AuditOptions = z.output<typeof auditOptions>;
