export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  add(words: Iterable<string>): void;
  /** Where the text holds one of the words, in order; at each place the longest. They may overlap. */
  find(text: string): Range[];
}

const HEAD = 6;
const FEWEST_SLOTS = 1 << 10;
const SLOTS_PER_WORD = 16;

interface Word {
  readonly text: string;
  /** The longest other word that this one begins with. */
  readonly within: Word | undefined;
}

/**
 * Finds any of thousands of words of at least six characters in one pass: six characters at a time are looked up in a table,
 * and only where they begin a word are those words searched, by halves. As a regular expression, an alternation of them all
 * takes longer the more they have in common, and tokens of one kind begin alike.
 */
export function createMatcher(): Matcher {
  const wordsByHead = new Map<string, readonly Word[]>();
  let mayStart = new Uint8Array(FEWEST_SLOTS);
  let count = 0;

  function addAll(head: string, texts: readonly string[]): void {
    const known = (wordsByHead.get(head) ?? []).map(({ text }) => text);
    const words = linked([...new Set([...known, ...texts])].sort());
    wordsByHead.set(head, words);
    count += words.length - known.length;
  }

  /** A table that is mostly empty is what makes the pass fast. */
  function fillTable(): void {
    let slots = mayStart.length;
    while (slots < count * SLOTS_PER_WORD) slots *= 2;
    mayStart = new Uint8Array(slots);
    for (const head of wordsByHead.keys()) mayStart[slotOf(hashOf(head), slots)] = 1;
  }

  return {
    add(words) {
      const added = byHead(words);
      if (added.size === 0) return;
      for (const [head, texts] of added) addAll(head, texts);
      fillTable();
    },
    find(text) {
      const found: Range[] = [];
      const table = mayStart;
      let hash = hashOf(text);
      for (let start = 0; start + HEAD <= text.length; start++) {
        if (start > 0) hash = roll(hash, text.charCodeAt(start - 1), text.charCodeAt(start + HEAD - 1));
        if (table[slotOf(hash, table.length)] === 0) continue;
        const words = wordsByHead.get(text.slice(start, start + HEAD));
        const length = words === undefined ? 0 : longestAt(text, start, words);
        if (length > 0) found.push({ start, end: start + length });
      }
      return found;
    },
  };
}

function byHead(words: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    if (word.length < HEAD) continue;
    const head = word.slice(0, HEAD);
    const group = groups.get(head);
    if (group === undefined) groups.set(head, [word]);
    else group.push(word);
  }
  return groups;
}

/** In sorted order, what a word begins with stands before it, and nothing between them begins otherwise. */
function linked(sorted: readonly string[]): Word[] {
  const words: Word[] = [];
  for (const text of sorted) {
    let within = words.at(-1);
    while (within !== undefined && !text.startsWith(within.text)) within = within.within;
    words.push({ text, within });
  }
  return words;
}

/** The last word that is not after the text, or one that it begins with: no other can be the longest. */
function longestAt(text: string, start: number, words: readonly Word[]): number {
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
  return word?.text.length ?? 0;
}

const FACTOR = 0x9e_37_79_b1;
const FACTOR_OF_FIRST = [1, 2, 3, 4, 5].reduce((power) => Math.imul(power, FACTOR), FACTOR);

/** Of the first six characters. */
function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < HEAD; index++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0;
  return hash;
}

/** The hash of the next six characters, from that of these: one leaves, one comes. */
function roll(hash: number, leaving: number, coming: number): number {
  return (Math.imul(hash, FACTOR) - Math.imul(leaving, FACTOR_OF_FIRST) + coming) | 0;
}

/** The upper bits are the well mixed ones. `slots` is a power of two. */
function slotOf(hash: number, slots: number): number {
  return hash >>> (Math.clz32(slots) + 1);
}

/** The text with each range replaced; ranges that overlap or touch are one. */
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
