import { z } from "zod";

export const cacheOptions = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Keep what servers answered on disk, so that the next start needs to ask none of them."),
    ttl: z
      .number()
      .int()
      .min(0)
      .max(31_536_000)
      .default(3600)
      .describe("Seconds after which a server's tool list counts as stale and is asked for again in the background."),
  })
  .describe("How long what is known of the servers is trusted.");

export type CacheOptions = z.output<typeof cacheOptions>;
