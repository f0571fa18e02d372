/** How many characters of a long text are examined. The estimate for the rest is extrapolated from these samples. */
const SAMPLES = 16;
const SAMPLE_CHARACTERS = 4096;

/**
 * Estimates how many tokens a text has, in at most a millisecond. Unlike `tokenx`, the estimate is also close for
 * escaped text, indented JSON and base64, which have two to three times the tokens of prose with the same length.
 */
export function estimateTokens(text: string): number {
  const { length } = text;
  if (length <= SAMPLES * SAMPLE_CHARACTERS) return Math.ceil(countTokens(text, 0, length));
  const step = (length - SAMPLE_CHARACTERS) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const from = Math.floor(sample * step);
    tokens += countTokens(text, from, from + SAMPLE_CHARACTERS);
  }
  return Math.ceil((tokens * length) / (SAMPLES * SAMPLE_CHARACTERS));
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const PUNCTUATION = 6;
const IDEOGRAPH = 7;

const ASCII_CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return NEWLINE;
  return code <= 32 ? SPACE : PUNCTUATION;
});

function classOf(code: number): number {
  if (code < 128) return ASCII_CLASSES[code] ?? OTHER;
  if (code >= 0x2e80 && code <= 0xd7af) return IDEOGRAPH;
  if (code >= 0xf900 && code <= 0xffef) return IDEOGRAPH;
  return OTHER;
}

/** Splits the text where its class changes, as tokenizers do, and estimates each run by its class and length. */
function countTokens(text: string, from: number, to: number): number {
  let tokens = 0;
  let start = from;
  while (start < to) {
    const kind = classOf(text.charCodeAt(start));
    let end = start + 1;
    // A capital letter and the small letters after it are one word.
    if (kind === UPPER && end < to && classOf(text.charCodeAt(end)) === LOWER) {
      while (end < to && classOf(text.charCodeAt(end)) === LOWER) end += 1;
      tokens += wordTokens(end - start, start > from && isLetter(text.charCodeAt(start - 1)));
    } else {
      while (end < to && classOf(text.charCodeAt(end)) === kind) end += 1;
      tokens += runTokens(kind, end - start, start > from ? text.charCodeAt(start - 1) : 32);
    }
    start = end;
  }
  return tokens;
}

function isLetter(code: number): boolean {
  const kind = classOf(code);
  return kind === LOWER || kind === UPPER || kind === DIGIT;
}

function wordTokens(length: number, isInside: boolean): number {
  if (length <= 6) return isInside ? 0.9 : 1;
  return 1 + (length - 6) * 0.11;
}

function runTokens(kind: number, length: number, before: number): number {
  switch (kind) {
    case LOWER:
      return wordTokens(length, isLetter(before));
    case SPACE:
      return length === 1 ? 0 : 1;
    case NEWLINE:
      return 0.8;
    case DIGIT:
      // A space before a word is part of the word's token; a space before a number is a token.
      return Math.ceil(length / 3) + (before === 32 ? 1 : 0);
    case PUNCTUATION:
      return length === 1 ? 0.85 : 1 + (length - 2) * 0.45;
    case IDEOGRAPH:
      return 0.3 + length * 0.8;
    default:
      return 0.8 + (length - 1) * 0.45;
  }
}
