const MIN_LENGTH = 6;
/**
 * The minimum number of characters of a secret that consists of letters only. Shorter ones are words of a natural
 * language.
 */
const MIN_LETTERS_LENGTH = 16;
const MIN_MEMBER_LENGTH = 12;
const MAX_TEXTS = 1000;

/**
 * The value and those of its parts that are secret on their own: a token after its scheme, a line of a private key, a
 * password in a URL.
 */
export function piecesOf(value: string): string[] {
  const texts = [value, ...textsInJson(value)];
  const all = texts.flatMap((text) => [text, ...wordsOf(text), ...partsOfAddress(text)]);
  return [...new Set(all.map((text) => text.trim()))].filter((text) => text.length >= MIN_LENGTH);
}

function wordsOf(text: string): string[] {
  const [, credential] = /^(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate)\s+(\S+)$/i.exec(text.trim()) ?? [];
  if (credential !== undefined) return [credential];
  const words = text.trim().split(/\s+/);
  return words.length === 1 ? [] : words.filter((word) => !isWordOfLanguage(word));
}

function isWordOfLanguage(word: string): boolean {
  return word.length < MIN_LETTERS_LENGTH && /^\W*\p{L}*\W*$/u.test(word);
}

/** The password and the query values in a URL, each in its original and its decoded form. */
function partsOfAddress(text: string): string[] {
  const password = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(text)?.[1];
  const user = /^[a-z][\w+.-]*:\/\/([^/\s:@]{12,}):?@/i.exec(text)?.[1];
  const query = /^[a-z][\w+.-]*:\/\/[^\s?#]*\?(\S+)$/i.exec(text)?.[1]?.split("#")[0] ?? "";
  const values = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  const parts = [password, user, ...values.filter((one) => one.length >= MIN_MEMBER_LENGTH)].filter(
    (part) => part !== undefined,
  );
  return parts.flatMap((part) => [part, withoutEscapes(part)]);
}

function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The strings in a JSON value: some programs take a set of headers or credentials as one variable with JSON. */
function textsInJson(value: string): string[] {
  if (!/^\s*[{[]/.test(value)) return [];
  try {
    return textsIn(JSON.parse(value)).filter((text) => text.length >= MIN_MEMBER_LENGTH);
  } catch {
    return [];
  }
}

function textsIn(data: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [data];
  for (let next = open.pop(); next !== undefined && texts.length < MAX_TEXTS; next = open.pop()) {
    if (typeof next === "string") texts.push(next);
    if (typeof next === "object" && next !== null) open.push(...Object.values(next));
  }
  return texts;
}
