/** A word, name, number or link in a text, with its worth: how likely a later call or an answer needs it. */
export interface Feature {
  readonly word: string;
  readonly worth: number;
}

const TOKEN = /https?:\/\/[^\s"'<>()[\]{}|\\]+|[\p{L}\p{N}_]+(?:[-.:'@/][\p{L}\p{N}_]+)*/gu;
const PART = /[\p{L}\p{N}_]+/gu;
const HAN = /[\u2e80-\ud7af\uf900-\uffef]/;
const COMMON = new Set(
  (
    "about above after again against along already although always among another around because become been before being " +
    "below between both cannot could does doing done down during each either else enough ever every from further given " +
    "have having here however into itself just like made make many more most much must need never only other others over " +
    "rather same should since some such than that their them then there these they this those through thus toward under " +
    "until upon used using very well were what when where whether which while whose will with within without would your"
  ).split(" "),
);

/** The distinct features of a text. Words that occur in every text have little worth. */
export function featuresOf(text: string): Feature[] {
  const found = new Map<string, number>();
  for (const [token] of text.matchAll(TOKEN)) {
    if (found.has(token)) continue;
    found.set(token, worthOf(token));
    if (token.length < 6 || isPlainWord(token)) continue;
    for (const [part] of token.matchAll(PART)) if (part.length >= 5 && !found.has(part)) found.set(part, worthOf(part));
  }
  return [...found].map(([word, worth]) => ({ word, worth }));
}

function isPlainWord(token: string): boolean {
  return /^[\p{L}\p{N}_]+$/u.test(token);
}

function worthOf(token: string): number {
  const { length } = token;
  if (/^https?:/.test(token)) return 2;
  if (HAN.test(token)) return Math.min(3, 0.5 + length * 0.4);
  if (/^\d+$/.test(token)) return length >= 4 ? 1.6 : 0.3;
  if (/\d/.test(token)) return length >= 4 ? 1.4 : 0.4;
  if (length <= 3) return /^\p{Lu}/u.test(token) ? 0.25 : 0.05;
  if (COMMON.has(token.toLowerCase())) return 0.2;
  if (length === 4) return 0.4;
  return /\p{Lu}/u.test(token) ? 1.5 : 1;
}
