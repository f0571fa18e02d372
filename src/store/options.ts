import { z } from "zod";

/** The section `store` of the configuration. */
export const storeOptions = z
  .string()
  .min(1)
  .refine((path) => !path.includes("${"), { error: "variables are not expanded in this option; write the full path" })
  .refine((path) => !/^[a-z][a-z\d+.-]+:\/\//i.test(path), { error: "must be the path of a file, not a URL" })
  .optional()
  .describe(
    "The path of the database file with audit records, idempotency keys, approvals, pins, rate limits, credentials, stored results and the catalog. `~` is the home folder; other relative paths are relative to the configuration file. Default: store.db in the state folder.",
  );
