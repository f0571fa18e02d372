/** Values that many environments contain. Redacting them would make texts unreadable and protect nothing. */
const WORDS = new Set(
  `bearer basic digest negotiate apikey api-key
  true false null none undefined default enabled disabled always never latest stable unlimited required optional
  development production staging testing preview sandbox debug verbose warning silent notice
  localhost 127.0.0.1 0.0.0.0 stdio
  node python python3 docker javascript typescript
  application/json text/plain utf-8 en_us.utf-8 c.utf-8 posix
  github gitlab google openai anthropic azure postgres postgresql sqlite redis mongodb`
    .split(/\s+/)
    .filter(Boolean),
);

const NUMBER = /^[+-]?\d{1,7}(?:\.\d{1,3})?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const FOLDER =
  /^(?:~|\.{1,2}|\/(?:usr|opt|etc|var|tmp|home|Users|root|mnt|srv|bin|private|Applications|Library))(?:\/[^:@?=]*)?$/;
/** A URL that cannot contain an API key: no user, no query, no long word in its path. */
const ADDRESS = /^(?:https?|wss?):\/\/[\w.-]+(?::\d+)?(?:\/[\w.~-]{0,15})*$/i;

export function isOrdinary(value: string): boolean {
  return (
    WORDS.has(value.toLowerCase()) ||
    NUMBER.test(value) ||
    DATE.test(value) ||
    FOLDER.test(value) ||
    ADDRESS.test(value)
  );
}

/**
 * A word no longer than those of a natural language. Tokens that consist of letters are longer or mix upper and lower
 * case.
 */
const PLAIN_WORD = /^\s*\p{Lu}?\p{Ll}{0,14}\s*$/u;

/**
 * Whether a value is a plain word, such as the name of a service. Redacting it would hide servers and tools with the
 * same name.
 */
export function isPlainWord(value: string): boolean {
  return PLAIN_WORD.test(value);
}
