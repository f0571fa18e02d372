import { z } from "zod";

/** The section `search` of the configuration. */
export const searchOptions = z
  .strictObject({
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .describe("How many tools a search answers at most when the caller names no limit."),
    minRelevance: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe(
        "Tools less relevant than this, from 0 to 1, are left out. What cannot be what was asked for is never shown.",
      ),
    semantic: z
      .boolean()
      .default(true)
      .describe("Whether tools are found by meaning too, with the model inside this package, or by words alone."),
    suggestions: z
      .boolean()
      .default(true)
      .describe(
        "Whether a search that finds nothing names a public server that could be added, from the directory inside this package. No network is used.",
      ),
  })
  .prefault({})
  .describe("How tools are found.");

export type SearchOptions = z.output<typeof searchOptions>;
