/** Possible borders between two requests in one query. Commas and "and" also occur inside one request. */
const BORDERS =
  /(?<=[.?!;]) |, ?(?:and|then|also|additionally) | and (?:also )?|(?<= )(?:additionally|furthermore|also|moreover),? /iu;
const MIN_WORDS = 3;
const MAX_QUERY_LENGTH = 4_000;
/** The maximum number of clauses. Each is one bit in `Term.clauses`. */
export const MAX_CLAUSES = 8;

/**
 * Splits a query into clauses that may each need their own tool. A clause with fewer than three words is merged with
 * its neighbor.
 */
export function splitClauses(query: string): string[] {
  const clauses: string[] = [];
  for (const part of query.slice(0, MAX_QUERY_LENGTH).replace(/\s+/gu, " ").split(BORDERS)) {
    const before = clauses.at(-1);
    if (before === undefined) clauses.push(part.trim());
    else if (isLongEnough(part) && isLongEnough(before) && clauses.length < MAX_CLAUSES) clauses.push(part.trim());
    else clauses[clauses.length - 1] = `${before} ${part.trim()}`.trim();
  }
  return clauses;
}

function isLongEnough(part: string): boolean {
  return part.trim().split(" ").length >= MIN_WORDS;
}
