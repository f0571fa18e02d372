const URL_START = /^https?:\/\/[^\s"'<>()[\]{}|\\]+/;
const MAX_URL_CHARACTERS = 300;
const LETTER = /[\p{L}\p{N}_]/u;
const COMMON = new Set(
  (
    "about above after again against along already although always among another around because become been before being " +
    "below between both cannot could does doing done down during each either else enough ever every from further given " +
    "have having here however into itself just like made make many more most much must need never only other others over " +
    "rather same should since some such than that their them then there these they this those through thus toward under " +
    "until upon used using very well were what when where whether which while whose will with within without would your"
  ).split(" "),
);

/** Numbers the words, names, numbers and links in texts. */
export interface FeatureReader {
  /** The distinct features of a text. */
  read(text: string): number[];
  /** How likely a later call or an answer needs a feature. Words that occur in every text have little worth. */
  worthOf(feature: number): number;
}

export function createFeatureReader(): FeatureReader {
  const ids = new Map<string, number>();
  const worths: number[] = [];
  /** The number of the text that had a feature last. */
  const lastIn: number[] = [];
  let reading = 0;
  const add = (word: string, found: number[]): void => {
    let id = ids.get(word);
    if (id === undefined) {
      id = ids.size;
      ids.set(word, id);
      worths.push(worthOfWord(word));
    }
    if (lastIn[id] !== reading) found.push(id);
    lastIn[id] = reading;
  };
  return {
    read(text) {
      const found: number[] = [];
      reading += 1;
      for (let at = 0; at < text.length; ) {
        if (!isLetterAt(text, at)) {
          at += 1;
          continue;
        }
        const url = text.startsWith("http", at)
          ? URL_START.exec(text.slice(at, at + MAX_URL_CHARACTERS))?.[0]
          : undefined;
        const end = url === undefined ? endOfWord(text, at) : at + url.length;
        const word = text.slice(at, end);
        add(word, found);
        if (word.length >= 6) for (const part of partsOf(word)) if (part.length >= 5) add(part, found);
        at = end;
      }
      return found;
    },
    worthOf: (feature) => worths[feature] ?? 0,
  };
}

/** Letters, digits and underscores, and single marks between them: `2024-03-01`, `a@b.c`, `it's`. */
function endOfWord(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    while (isLetterAt(text, at)) at += 1;
    if (at >= text.length || !isMark(text.charCodeAt(at)) || !isLetterAt(text, at + 1)) return at;
  }
}

/** The parts of a word with marks in it. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= word.length; at += 1) {
    if (at < word.length && isLetterAt(word, at)) continue;
    if (at > from && at - from < word.length) parts.push(word.slice(from, at));
    from = at + 1;
  }
  return parts;
}

const UNKNOWN = 0;
const YES = 1;
const NO = 2;
/** Filled when a character occurs for the first time. */
const letters = new Uint8Array(0x10000);

function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const known = letters[code] ?? NO;
  if (known !== UNKNOWN) return known === YES;
  letters[code] = LETTER.test(String.fromCharCode(code)) ? YES : NO;
  return letters[code] === YES;
}

/** One of `'-./:@`. */
function isMark(code: number): boolean {
  return (code >= 45 && code <= 47) || code === 58 || code === 64 || code === 39;
}

function worthOfWord(word: string): number {
  const { length } = word;
  if (/^https?:/.test(word)) return 2;
  if (/[\u2e80-\ud7af\uf900-\uffef]/.test(word)) return Math.min(3, 0.5 + length * 0.4);
  if (/\d/.test(word)) {
    const isLong = length >= 4;
    return /^\d+$/.test(word) ? (isLong ? 1.6 : 0.3) : isLong ? 1.4 : 0.4;
  }
  if (length <= 3) return /^\p{Lu}/u.test(word) ? 0.25 : 0.05;
  if (COMMON.has(word.toLowerCase())) return 0.2;
  if (length === 4) return 0.4;
  return /\p{Lu}/u.test(word) ? 1.5 : 1;
}
