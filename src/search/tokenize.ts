/**
 * The maximum number of characters of a text that are tokenized. The rest of a longer text adds words but no meaning.
 */
const MAX_TEXT_LENGTH = 6_000;
const MAX_WORD_LENGTH = 40;

/** Scripts that put no spaces between words. */
const SCRIPTS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}";
const WITHOUT_SPACES = new RegExp(`[${SCRIPTS}]`, "u");
const RUN_WITHOUT_SPACES = new RegExp(`[${SCRIPTS}ー]+`, "gu");
const MAX_RUN_LENGTH = 400;

/**
 * Returns the lower-case words of a text. Names in snake, kebab, camel or dotted case are split; `GitHub` also gives
 * `github`.
 */
export function tokenize(text: string): string[] {
  return splitChunks(text).flatMap(tokenizeChunk);
}

/**
 * Splits a text into chunks, which are runs of letters and digits. The words of a chunk do not depend on other chunks,
 * so callers may cache them.
 */
export function splitChunks(text: string): readonly string[] {
  const read = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  // ASCII texts do not need the slower Unicode regular expression.
  if (!/[\u0080-\uffff]/.test(read)) return read.match(/[A-Za-z0-9]+/g) ?? [];
  const folded = foldMarks(read);
  if (!WITHOUT_SPACES.test(folded)) return folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return folded.replace(RUN_WITHOUT_SPACES, " $& ").match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

export function tokenizeChunk(chunk: string): string[] {
  const { parts, whole } = splitChunk(chunk);
  const words = parts.length > 1 ? [...parts, whole] : parts;
  const letters = /^(\p{L}{3,})\p{N}+$/u.exec(whole)?.[1];
  return letters === undefined ? words : [...words, letters];
}

/** Returns the words of a query in order. `GitHub` is one word if `isKnown` accepts `github`, otherwise two. */
export function tokenizeQuery(query: string, isKnown: (word: string) => boolean): string[] {
  return splitChunks(query).flatMap((chunk) => {
    const { parts, whole } = splitChunk(chunk);
    return parts.length > 1 && isKnown(whole) ? [...parts.filter((part) => isKnown(part)), whole] : parts;
  });
}

/**
 * Normalizes a name to lower-case letters and digits, so that names that differ only in case or separators have the
 * same key. A name without letters and digits is its own key.
 */
export function toKey(name: string): string {
  const key = foldMarks(name.slice(0, MAX_TEXT_LENGTH))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
  return key === "" ? name.trim() : key;
}

/** Removes diacritics (`é` becomes `e`), except in scripts where they distinguish letters. */
function foldMarks(text: string): string {
  if (!/[\u0080-\uffff]/u.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, "$1")
    .normalize("NFC");
}

function splitChunk(chunk: string): { parts: string[]; whole: string } {
  const whole = chunk.toLowerCase().slice(0, MAX_WORD_LENGTH);
  if (WITHOUT_SPACES.test(chunk)) return { parts: toPairs(chunk.toLowerCase().slice(0, MAX_RUN_LENGTH)), whole };
  const isMixed = chunk !== chunk.toLowerCase() && chunk !== chunk.toUpperCase() && !/^\p{Lu}+s$/u.test(chunk);
  if (!isMixed) return { parts: [whole], whole };
  const parts = chunk
    .slice(0, MAX_WORD_LENGTH)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
  // "OAuth", "eBay" and "iPhone" are one word.
  return { parts: parts.length === 2 && parts[0]?.length === 1 ? [whole] : parts, whole };
}

/** Splits text in a script without spaces between words into pairs of characters. */
function toPairs(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 3) return [text];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}
