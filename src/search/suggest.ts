import type { Evidence } from "./relevance.js";

const MAX_CLOSEST = 8;
/** With an embedding model, a tool is suggested if it shares a word with the query and has at least this similarity. */
const MIN_LIKENESS = 0.3;
/** Without an embedding model, a tool is suggested if it has at least this share of the query's words. */
const MIN_COVERED = 0.3;

/**
 * Returns the documents closest to a query that nothing fits, best first; empty if no document is related to the query.
 */
export function closestDocuments(
  candidates: readonly { readonly document: number; readonly evidence: Evidence }[],
  hasMeaning: boolean,
): number[] {
  const isClose = ({ covered, likeness }: Evidence): boolean =>
    hasMeaning ? covered > 0 && likeness >= MIN_LIKENESS : covered >= MIN_COVERED;
  return candidates
    .filter(({ evidence }) => isClose(evidence))
    .slice(0, MAX_CLOSEST)
    .map(({ document }) => document);
}
