/** Where one request ends and the next may begin. Between two letters, commas and "and" also stand inside one. */
const BORDERS =
  /(?<=[.?!;]) |, ?(?:and|then|also|additionally) | and (?:also )?|(?<= )(?:additionally|furthermore|also|moreover),? /iu;
const FEWEST_WORDS = 3;
const LONGEST_QUERY = 4_000;
/** One bit each in a word's mark. */
export const MOST_CLAUSES = 8;

/** The parts of a request that may each need a tool of their own; a part too short to be one belongs to its neighbour. */
export function splitClauses(query: string): string[] {
  const clauses: string[] = [];
  for (const part of query.slice(0, LONGEST_QUERY).replace(/\s+/gu, " ").split(BORDERS)) {
    const before = clauses.at(-1);
    if (before === undefined) clauses.push(part.trim());
    else if (isOwn(part) && isOwn(before) && clauses.length < MOST_CLAUSES) clauses.push(part.trim());
    else clauses[clauses.length - 1] = `${before} ${part.trim()}`.trim();
  }
  return clauses;
}

function isOwn(part: string): boolean {
  return part.trim().split(" ").length >= FEWEST_WORDS;
}
