import { z } from "zod";

export const auditOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Record every execution. A call that cannot be recorded fails."),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Where the records go, one JSON object a line; `~` is the home folder, else relative to the configuration file. Default: audit.jsonl in the state folder.",
      ),
  })
  .describe("The record of every execution: who called which tool when, how it ended; never arguments or results.");

export type AuditOptions = z.output<typeof auditOptions>;
