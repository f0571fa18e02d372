import { DiscoveryError } from "../../src/errors.js";
import type { EvalSet } from "../../src/operations/evaluation/evaluation-files.js";

export type Half = "all" | "tune" | "report";

/** Keeps the queries of that half, including the unanswerable ones, on which thresholds are chosen. */
export function takeHalf(set: EvalSet, half: Half): EvalSet {
  const queries = set.queries.filter(({ query }) => isInHalf(query, half));
  if (queries.length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", `No query of ${set.name} is in the half "${half}".`, {
      hint: "The set has too few queries: omit --half, or name other sets with --only.",
    });
  }
  return { ...set, queries, unanswerable: set.unanswerable?.filter((query) => isInHalf(query, half)) };
}

/** Depends only on the text of the query, so that a query stays in its half when the set changes. */
export function isInHalf(query: string, half: Half): boolean {
  if (half === "all") return true;
  // A middle bit: the last characters of a text hardly affect the upper bits, and the lowest bit is only a parity.
  const isInTune = ((fnv1a(query) >>> 7) & 1) === 0;
  return isInTune === (half === "tune");
}

/** The 32-bit FNV-1a hash of the UTF-8 bytes. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
