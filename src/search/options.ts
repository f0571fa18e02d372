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
      .default(0.15)
      .describe(
        "Tools less relevant than this, from 0 to 1, are left out; a search that finds nothing better says so.",
      ),
  })
  .prefault({})
  .describe("How tools are found.");

export type SearchOptions = z.output<typeof searchOptions>;
