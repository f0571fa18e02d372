import { z } from "zod";

/**
 * Names of environment variables, with `*` and `?` as wildcards. Parentheses are allowed, because Windows has such
 * names.
 */
export const environmentNames = z.array(
  z
    .string()
    .max(256)
    .regex(/^[\w*?()]+$/, "is not the name of an environment variable; `*` and `?` are wildcards"),
);
