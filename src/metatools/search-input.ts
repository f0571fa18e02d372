import { z } from "zod";
import type { SearchRequest } from "./discovery.js";
import { malformed } from "./meta-tool.js";

/** The input of the meta-tool `search_tools`. */
export const searchInput = z.strictObject({
  query: z.string().min(1).max(2000).describe("What you want to do"),
  server: z.string().min(1).optional().describe("Only this server"),
  limit: z.number().int().min(1).max(50).optional().describe("Default 10"),
});

const { query, server, limit } = searchInput.shape;

/** The input of the library's `searchTools`. Unknown members are ignored. */
const libraryInput = z.object({
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
  "Pass a `query` of 1 to 2,000 characters, and in `options` an integer `limit` from 1 to 50 and a `waitMs` of 0 or more.";

/** Validates the arguments of `searchTools` at run time, because JavaScript callers may pass any value. */
export function toSearchRequest(input: { query: unknown; options: unknown }): SearchRequest {
  const checked = libraryInput.safeParse(input);
  if (!checked.success) throw malformed("searchTools", checked.error, HINT);
  return { ...checked.data.options, query: checked.data.query };
}
