import { z } from "zod";

/** The key `store` of the configuration. */
export const storeOptions = z
  .string()
  .min(1)
  .refine((path) => !path.includes("${"), { error: "variables are not replaced here; write the path out" })
  .refine((path) => !/^[a-z][a-z\d+.-]+:\/\//i.test(path), { error: "must be the path of a file" })
  .optional()
  .describe(
    "The database file that holds what has to outlive a process: records, keys, approvals, pins, limits and the catalog. `~` is the home folder, else relative to the configuration file. Default: store.db in the state folder.",
  );
