import { DiscoveryError } from "../../src/errors.js";
import type { EvalSet } from "../../src/operations/evaluation/evaluation-files.js";

export type Half = "all" | "tune" | "report";

/** The queries of that half, the unanswerable ones too: thresholds are chosen on them. */
export function takeHalf(set: EvalSet, half: Half): EvalSet {
  const queries = set.queries.filter(({ query }) => isInHalf(query, half));
  if (queries.length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", `No query of ${set.name} is in the half "${half}".`, {
      hint: "Its queries are too few to be halved: leave --half out, or name other sets with --only.",
    });
  }
  return { ...set, queries, unanswerable: set.unanswerable?.filter((query) => isInHalf(query, half)) };
}

/** The text alone decides, so that a query stays in its half whatever else is in the set. */
export function isInHalf(query: string, half: Half): boolean {
  if (half === "all") return true;
  // A bit of the middle: a text's last characters hardly reach the upper ones, and the lowest is no more than a parity.
  const isTuned = ((fnv1a(query) >>> 7) & 1) === 0;
  return isTuned === (half === "tune");
}

/** 32 bits, over the UTF-8 bytes. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
