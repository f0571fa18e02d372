import { z } from "zod";

/** The section `search` of the configuration. */
export const searchOptions = z
  .strictObject({
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .describe("The maximum number of tools in a search result, if the caller gives no limit."),
    minRelevance: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe("The lowest relevance of a hit, from 0 to 1. If it is 0, a search always lists the closest tools."),
    semantic: z
      .boolean()
      .default(true)
      .describe("Whether search also matches by meaning, with the model in this package, or by words only."),
    usage: z
      .boolean()
      .default(true)
      .describe(
        "Whether tools that the caller has used successfully since the gateway started rank a little higher, for agents and programs.",
      ),
    suggestions: z
      .boolean()
      .default(true)
      .describe(
        "Whether a search that no tool fits suggests a public server that could be added, from the directory in this package. This uses no network.",
      ),
  })
  .prefault({})
  .describe("How tools are searched.");

export type SearchOptions = z.output<typeof searchOptions>;
