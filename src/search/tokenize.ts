/** Beyond this many characters a text adds words but no meaning. */
const LONGEST_TEXT = 6_000;
const LONGEST_WORD = 40;

/** Scripts that put no spaces between words. */
const SCRIPTS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}";
const WITHOUT_SPACES = new RegExp(`[${SCRIPTS}]`, "u");
const RUN_WITHOUT_SPACES = new RegExp(`[${SCRIPTS}ー]+`, "gu");
const LONGEST_RUN = 400;

/** Lower-case words of a text: snake, kebab, camel and dotted names are taken apart, and `GitHub` is also `github`. */
export function tokenize(text: string): string[] {
  return splitChunks(text).flatMap(tokenizeChunk);
}

/** Runs of letters and digits; what one of them says does not depend on the others, so callers may remember it. */
export function splitChunks(text: string): readonly string[] {
  const read = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  // Plain English needs no regular expression with all letters of the world.
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

/**
 * The words of a query in their order. `GitHub` is one word to a catalog that knows `github` and two to one that does
 * not.
 */
export function tokenizeQuery(query: string, isKnown: (word: string) => boolean): string[] {
  return splitChunks(query).flatMap((chunk) => {
    const { parts, whole } = splitChunk(chunk);
    return parts.length > 1 && isKnown(whole) ? [...parts.filter((part) => isKnown(part)), whole] : parts;
  });
}

/** Letters and digits only, in lower case: two names that differ by case or separators have the same key. Without any, the name is its own key. */
export function toKey(name: string): string {
  const key = foldMarks(name.slice(0, LONGEST_TEXT))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
  return key === "" ? name.trim() : key;
}

/** `é` becomes `e`; scripts in which a mark makes another letter keep theirs. */
function foldMarks(text: string): string {
  if (!/[\u0080-\uffff]/u.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, "$1")
    .normalize("NFC");
}

function splitChunk(chunk: string): { parts: string[]; whole: string } {
  const whole = chunk.toLowerCase().slice(0, LONGEST_WORD);
  if (WITHOUT_SPACES.test(chunk)) return { parts: toPairs(chunk.toLowerCase().slice(0, LONGEST_RUN)), whole };
  const isMixed = chunk !== chunk.toLowerCase() && chunk !== chunk.toUpperCase() && !/^\p{Lu}+s$/u.test(chunk);
  if (!isMixed) return { parts: [whole], whole };
  const parts = chunk
    .slice(0, LONGEST_WORD)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
  return { parts, whole };
}

/** Scripts without spaces between words are searched by pairs of characters. */
function toPairs(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 3) return [text];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}
