import type { JsonObject } from "../../model/json.js";

/** How long a result stays true and for whom (2026-07-28). */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** The five tools of a profile are the same for everybody, in every start. */
export const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };

/** What depends on servers and on who asks; whoever listens is told of changes. */
export const CHANGING: CacheHint = { ttlMs: 1_000, cacheScope: "private" };

/** Older revisions know no such members. */
export function withHint(result: object, hint: CacheHint, era: "legacy" | "modern"): JsonObject {
  return era === "modern" ? { ...result, ...hint } : { ...result };
}
