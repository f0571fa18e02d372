/** How many characters of a long text are examined. The estimate for the rest is extrapolated from these samples. */
const SAMPLES = 16;
const SAMPLE_CHARACTERS = 4096;
/** An estimate that is too high costs a few omitted words; one that is too low exceeds the budget. */
const MARGIN = 1.03;

/**
 * Estimates how many tokens a text has, in at most a millisecond. Unlike `tokenx`, the estimate is also close for
 * escaped text, indented JSON and base64, which have two to three times the tokens of prose with the same length.
 */
export function estimateTokens(text: string): number {
  const { length } = text;
  if (length <= SAMPLES * SAMPLE_CHARACTERS) return Math.ceil(countTokens(text, 0, length) * MARGIN);
  const step = (length - SAMPLE_CHARACTERS) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const from = Math.floor(sample * step);
    tokens += countTokens(text, from, from + SAMPLE_CHARACTERS);
  }
  return Math.ceil((tokens * MARGIN * length) / (SAMPLES * SAMPLE_CHARACTERS));
}

const LOWER = 0;
const ACCENTED = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const PUNCTUATION = 6;
const CONTROL = 7;
const SYMBOL = 8;

/**
 * The tokens of a run of characters of one class: for the run, and for each of its characters. The constants were
 * fitted to the tokenizer o200k_base on tool results and on texts in 20 languages.
 */
const RUN = [0, 0, 1.15, 0, 0, 0.8, 1.4, 0.4, 0.8, 0.6, 0.6, 0, 0.4, 0, 0.3, 0];
const EACH = [0, 0, 0.48, 0.38, 0.02, 0.1, 0.6, 0.5, 0.4, 0.2, 0.24, 0.4, 0.55, 0.7, 0.82, 1.1];

/** The first code of each class above ASCII, in descending order. */
const CLASSES: readonly (readonly [first: number, kind: number])[] = [
  [0xf900, 14], // Chinese, compatibility forms
  [0xe000, SYMBOL], // private use
  [0xd800, 15], // surrogates: emoji and rare scripts
  [0xac00, 12], // Korean
  [0x3100, 14], // Chinese
  [0x3040, 13], // Japanese
  [0x2e80, 14], // Chinese punctuation
  [0x2000, SYMBOL],
  [0x1f00, 9], // Greek
  [0x1e00, ACCENTED],
  [0x900, 11], // scripts of India and South-East Asia
  [0x590, 10], // Hebrew, Arabic
  [0x370, 9], // Greek, Cyrillic
  [0x250, SYMBOL],
  [0xc0, ACCENTED],
  [0x80, SYMBOL],
];
const KINDS = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return NEWLINE;
  if (code === 32 || code === 9) return SPACE;
  if (code < 32 || code === 127) return CONTROL;
  return CLASSES.find(([first]) => code >= first)?.[1] ?? PUNCTUATION;
});

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? SYMBOL;
}

/** Splits the text where its class changes, as tokenizers do, and estimates each run by its class and length. */
function countTokens(text: string, from: number, to: number): number {
  let tokens = 0;
  let before = NEWLINE;
  for (let start = from; start < to; ) {
    const kind = kindAt(text, start);
    let end = start + 1;
    if (kind <= UPPER) {
      let accented = kind === ACCENTED ? 1 : 0;
      // A capital letter and the small letters after it are one word.
      for (let next = kindAt(text, end); end < to && next <= ACCENTED; next = kindAt(text, end)) {
        accented += next;
        end += 1;
      }
      if (kind === UPPER && end === start + 1) {
        while (end < to && kindAt(text, end) === UPPER) end += 1;
        tokens += costOf(UPPER, end - start);
      } else tokens += wordTokens(end - start, before) + 0.5 * accented;
    } else {
      while (end < to && kindAt(text, end) === kind) end += 1;
      tokens += runTokens(text, start, end, before);
    }
    before = kind;
    start = end;
  }
  return tokens;
}

function costOf(kind: number, length: number): number {
  return (RUN[kind] ?? 0) + length * (EACH[kind] ?? 0);
}

function wordTokens(length: number, before: number): number {
  // A punctuation mark before a word is often part of the word's token.
  const first = before === PUNCTUATION ? 0.65 : 0.95;
  // Words of natural languages are rarely longer than 20 letters; encoded data is.
  return first + Math.max(0, length - 6) * 0.12 + Math.max(0, length - 20) * 0.33;
}

function runTokens(text: string, start: number, end: number, before: number): number {
  const kind = kindAt(text, start);
  const length = end - start;
  switch (kind) {
    case DIGIT:
      // A space before a word is part of the word's token; a space before a number is a token.
      return Math.ceil(length / 3) * 1.1 + (before === SPACE ? 1 : 0);
    case SPACE:
      if (text.charCodeAt(start) === 9) return 0.3 + length / 16;
      return length === 1 ? 0 : 1.1 + length / 128;
    case NEWLINE:
      // A line break after a punctuation mark is part of its token.
      return (before === PUNCTUATION ? 0 : 0.8) + length / 16;
    case PUNCTUATION:
      if (length === 1) return before === SPACE ? 1 : text[start] === "_" ? 0.4 : 0.8;
      if (length === 2) return 1.2;
      if (length <= 4) return 1.8;
      return isRuler(text, start, end) ? 1 + length / 32 : 1.8 + (length - 4) * 0.6;
    default:
      return costOf(kind, length);
  }
}

/** A line of hyphens, equals signs or similar marks takes few tokens. */
function isRuler(text: string, start: number, end: number): boolean {
  const first = text[start] ?? "";
  if (!"-=_*#.~".includes(first)) return false;
  for (let at = start + 1; at < end; at += 1) if (text[at] !== first) return false;
  return true;
}
