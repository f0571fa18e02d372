import type { JsonObject } from "../../model/json.js";

/** How long a client may cache a result, and whether it may share it between users (2026-07-28). */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** For the five tools of a profile, which are the same for every client. */
export const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };

/** For results that depend on the servers and the caller. Subscribed clients are notified of changes. */
export const CHANGING: CacheHint = { ttlMs: 1_000, cacheScope: "private" };

/** Protocol revisions before 2026-07-28 do not have these members. */
export function withHint(result: object, hint: CacheHint, era: "legacy" | "modern"): JsonObject {
  return era === "modern" ? { ...result, ...hint } : { ...result };
}
