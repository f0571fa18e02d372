import { z } from "zod";
import type { SearchRequest } from "./discovery.js";
import { malformed } from "./meta-tool.js";

/** What agents pass to `search_tools`. */
export const searchInput = z.strictObject({
  query: z.string().min(1).max(2000).describe("What you want to do"),
  server: z.string().min(1).optional().describe("Only this server"),
  limit: z.number().int().min(1).max(50).optional().describe("Default 10"),
});

const { query, server, limit } = searchInput.shape;

/** What programs pass to `searchTools`. Members that it does not know are left alone, as types leave them. */
const given = z.object({
  query,
  options: z.object({
    server,
    limit,
    includeDisabled: z.boolean().optional(),
    explain: z.boolean().optional(),
    waitMs: z.number().min(0).optional(),
  }),
});

const HINT =
  "The query is a text of 1 to 2,000 characters, the options an object whose limit is a whole number from 1 to 50 and whose waitMs is a number of at least 0.";

/** Programs without types may pass anything. */
export function toSearchRequest(asked: { query: unknown; options: unknown }): SearchRequest {
  const checked = given.safeParse(asked);
  if (!checked.success) throw malformed("searchTools", checked.error, HINT);
  return { ...checked.data.options, query: checked.data.query };
}
