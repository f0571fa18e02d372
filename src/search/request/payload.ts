// The parts of a query that it passes on rather than asks for: quoted texts, web addresses and e-mail addresses.
import { tokenizeQuery } from "../tokenize.js";

export const WEB_ADDRESS = /\b(?:https?:\/\/|www\.)[^\s"'<>]+/iu;
/** Begins only where a word begins, and its parts contain no second `@`: otherwise a hostile text would take too long. */
export const EMAIL_ADDRESS = /(?<![^\s"'<>(),;@])[^\s"'<>(),;@]+@[^\s"'<>(),;@]+\.\p{L}{2,}/u;
/** One of the groups has the text without its quotation marks. */
export const QUOTED =
  /"([^"]{1,400})"|“([^”]{1,400})”|`([^`]{1,400})`|«([^»]{1,400})»|(?<!\p{L})'([^']{1,400})'(?!\p{L})/u;

/** The same pattern, for all matches. */
export function all(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `g${pattern.flags}`);
}

/** Whether the texts of a query that it only passes on contain this word, and the rest of the query does not. */
export function createPayloadTest(query: string): (word: string) => boolean {
  const rest = withoutPayload(query);
  if (rest === query) return () => false;
  const asked = new Set(tokenizeQuery(rest, () => false));
  return (word) => !asked.has(word);
}

/**
 * Removes what the query passes on rather than asks for: quoted texts, URLs and e-mail addresses. If nothing else
 * remains, the query is returned unchanged.
 */
export function withoutPayload(query: string): string {
  const rest = [WEB_ADDRESS, EMAIL_ADDRESS, QUOTED].reduce((text, part) => text.replaceAll(all(part), " "), query);
  return /\p{L}{3,}/u.test(rest) ? rest : query;
}
