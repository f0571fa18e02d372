import type { JsonObject } from "../../model/json.js";

/** How long a client may cache a result, and whether it may share it between users (2026-07-28). */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** The hint for the five meta-tools of a profile, which are the same for every client. */
export const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };

/** The hint for results that depend on the servers and the caller. Clients that subscribe are notified of changes. */
export const CHANGING: CacheHint = { ttlMs: 1_000, cacheScope: "private" };

/** Adds a cache hint to a result. MCP revisions before 2026-07-28 (legacy) do not have these members. */
export function withHint(result: object, hint: CacheHint, era: "legacy" | "modern"): JsonObject {
  return era === "modern" ? { ...result, ...hint } : { ...result };
}
