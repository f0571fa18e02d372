import { z } from "zod";

export const cacheOptions = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Store the tool lists of servers on disk, so that the next start does not need to contact them."),
    ttl: z
      .number()
      .int()
      .min(0)
      .max(31_536_000)
      .default(3600)
      .describe("Seconds after which a server's tool list is stale and is fetched again in the background."),
  })
  .describe("How long the tool lists of servers are cached.");

export type CacheOptions = z.output<typeof cacheOptions>;
