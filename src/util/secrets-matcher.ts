import { cover, occurrencesOf, type Range } from "./secrets-occurrences.js";

export interface Matcher {
  add(words: Iterable<string>): void;
  /** Returns the ranges of the text that the words cover, in any order. They may overlap. */
  find(text: string): Range[];
}

const HEAD = 6;
/**
 * The maximum number of characters that are compared at every position. Without it, long self-similar words would be
 * compared over and over.
 */
const STEM = 64;
const MIN_SLOTS = 1 << 10;
const SLOTS_PER_WORD = 16;

interface Word {
  readonly text: string;
  /** Whether the text is itself a word, not only the prefix of longer words. */
  readonly isWhole: boolean;
  /** If the text has `STEM` characters: the longer words that start with it. */
  readonly longer: readonly string[];
  /**
   * The longest other word that is a prefix of this one. It has fewer than `STEM` characters, so it is a complete word.
   */
  readonly within: Word | undefined;
}

/**
 * Finds thousands of words of at least six characters in one pass. At every position, the next six characters are
 * looked up in a hash table; only if they start a word, a binary search among the words follows. A regular expression
 * with all words would be slow, because tokens of one kind start alike. Words over 64 characters are searched
 * separately, and only in a text that contains their start.
 */
export function createMatcher(): Matcher {
  const wordsByHead = new Map<string, readonly Word[]>();
  let mayStart = new Uint8Array(MIN_SLOTS);
  let count = 0;

  function addAll(head: string, texts: readonly string[]): void {
    const known = wordsByHead.get(head) ?? [];
    const before = known.flatMap(({ text, isWhole, longer }) => (isWhole ? [text, ...longer] : longer));
    const words = linked([...new Set([...before, ...texts])]);
    wordsByHead.set(head, words);
    count += words.length - known.length;
  }

  /** Rebuilds the hash table. Most slots are empty, so that most positions of a text need no further look-up. */
  function fillTable(): void {
    let slots = mayStart.length;
    while (slots < count * SLOTS_PER_WORD) slots *= 2;
    mayStart = new Uint8Array(slots);
    for (const head of wordsByHead.keys()) mayStart[slotOf(hashOf(head), slots)] = 1;
  }

  return {
    add(words) {
      const added = byBeginning(words, HEAD);
      if (added.size === 0) return;
      for (const [head, texts] of added) addAll(head, texts);
      fillTable();
    },
    find(text) {
      const found: Range[] = [];
      const begun = new Map<Word, number>();
      const table = mayStart;
      let hash = hashOf(text);
      for (let start = 0; start + HEAD <= text.length; start++) {
        if (start > 0) hash = roll(hash, text.charCodeAt(start - 1), text.charCodeAt(start + HEAD - 1));
        if (table[slotOf(hash, table.length)] === 0) continue;
        const words = wordsByHead.get(text.slice(start, start + HEAD));
        const word = words && longestAt(text, start, words);
        if (word === undefined) continue;
        if (word.longer.length > 0 && !begun.has(word)) begun.set(word, start);
        const whole = word.isWhole ? word : word.within;
        if (whole !== undefined) cover(found, { start, end: start + whole.text.length });
      }
      const ofLonger = [...begun].flatMap(([{ longer }, from]) =>
        longer.flatMap((word) => occurrencesOf(word, text, from)),
      );
      return [...found, ...ofLonger];
    },
  };
}

/** Groups the words by their first `length` characters; shorter words are left out. */
function byBeginning(words: Iterable<string>, length: number): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    if (word.length < length) continue;
    const beginning = word.slice(0, length);
    const group = groups.get(beginning);
    if (group === undefined) groups.set(beginning, [word]);
    else group.push(word);
  }
  return groups;
}

/**
 * Sorts the words and links each to its longest prefix. In sorted order, a word comes after its prefixes, and all words
 * in between share the prefix.
 */
function linked(texts: readonly string[]): Word[] {
  const wholes = new Set(texts.filter((text) => text.length <= STEM));
  const longerByStem = byBeginning(
    texts.filter((text) => text.length > STEM),
    STEM,
  );
  const words: Word[] = [];
  for (const text of [...new Set([...wholes, ...longerByStem.keys()])].sort()) {
    let within = words.at(-1);
    while (within !== undefined && !text.startsWith(within.text)) within = within.within;
    words.push({ text, isWhole: wholes.has(text), longer: longerByStem.get(text) ?? [], within });
  }
  return words;
}

/**
 * The longest word at this position. It is the last word that sorts at or before the text, or a prefix of that word.
 */
function longestAt(text: string, start: number, words: readonly Word[]): Word | undefined {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const word = words[middle]?.text ?? "";
    if (word <= text.slice(start, start + word.length)) low = middle + 1;
    else high = middle;
  }
  let word = words[low - 1];
  while (word !== undefined && !text.startsWith(word.text, start)) word = word.within;
  return word;
}

const FACTOR = 0x9e_37_79_b1;
const FACTOR_OF_FIRST = [1, 2, 3, 4, 5].reduce((power) => Math.imul(power, FACTOR), FACTOR);

/** The hash of the first six characters of a string. */
function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < HEAD; index++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0;
  return hash;
}

/** Moves the rolling hash of six characters by one character. */
function roll(hash: number, leaving: number, coming: number): number {
  return (Math.imul(hash, FACTOR) - Math.imul(leaving, FACTOR_OF_FIRST) + coming) | 0;
}

/** The slot of a hash. Uses the upper bits, which are well mixed. `slots` is a power of two. */
function slotOf(hash: number, slots: number): number {
  return hash >>> (Math.clz32(slots) + 1);
}

/** Replaces each range with `by`. Overlapping or adjacent ranges are replaced as one. */
export function replaceRanges(text: string, ranges: readonly Range[], by: string): string {
  if (ranges.length === 0) return text;
  const pieces: string[] = [];
  let written = 0;
  let covered = -1;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start > covered) pieces.push(text.slice(written, start), by);
    covered = Math.max(covered, end);
    written = covered;
  }
  return `${pieces.join("")}${text.slice(written)}`;
}
