const LINE_END = 10;
const SPACE = 32;
const MARK = 35;
/** The number of bytes of the prefix `##`, which marks tokens that continue a word. */
const MARK_BYTES = 2;

/** Constants of the hash function FNV-1a, 32 bits. */
const BASIS = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const CONTINUED = Math.imul(Math.imul(BASIS ^ MARK, PRIME) ^ MARK, PRIME);

/** Finds subword tokens (pieces) by their bytes in the model file: a map of strings would need ten times the memory. */
export interface PieceTable {
  readonly count: number;
  /** Returns the number of the longest token that starts at `start` and ends at `end` or before, or -1. */
  findLongest(text: Uint8Array, position: PiecePosition): number;
  /** The number of bytes of text that a token covers. */
  lengthOf(piece: number): number;
  /** Returns the number of the phrase that two adjacent tokens form, or -1. */
  findPhrase(first: number, second: number): number;
}

export interface PiecePosition {
  start: number;
  end: number;
  /** Whether the position is inside a word, so that only tokens with the prefix `##` match. */
  isContinued: boolean;
}

/**
 * `lines` is UTF-8 text with one entry per line: a token, a token with the prefix `##` that continues a word, or a
 * phrase of two tokens separated by a space.
 */
export function createPieceTable(lines: Uint8Array): PieceTable {
  const starts = findStarts(lines);
  const count = starts.length - 1;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1);
  const last = slots.length - 1;
  const startOf = (piece: number): number => starts[piece] ?? 0;
  const endOf = (piece: number): number => (starts[piece + 1] ?? 0) - 1;

  const isAt = (piece: number, text: Uint8Array, { start, end, isContinued }: PiecePosition): boolean => {
    let at = startOf(piece);
    if (isContinued) {
      if (lines[at] !== MARK || lines[at + 1] !== MARK) return false;
      at += MARK_BYTES;
    }
    if (endOf(piece) - at !== end - start) return false;
    for (let from = start; from < end; from += 1, at += 1) if (lines[at] !== text[from]) return false;
    return true;
  };
  const find = (hash: number, text: Uint8Array, position: PiecePosition): number => {
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const piece = slots[slot] ?? -1;
      if (piece === -1 || isAt(piece, text, position)) return piece;
    }
  };

  let longest = 0;
  const phrases: number[] = [];
  for (let piece = 0; piece < count; piece += 1) {
    const end = endOf(piece);
    let hash = BASIS;
    let hasSpace = false;
    for (let at = startOf(piece); at < end; at += 1) {
      const byte = lines[at] ?? 0;
      hash = Math.imul(hash ^ byte, PRIME);
      if (byte === SPACE) hasSpace = true;
    }
    if (hasSpace) {
      phrases.push(piece);
      continue;
    }
    if (end - startOf(piece) > longest) longest = end - startOf(piece);
    let slot = hash & last;
    while (slots[slot] !== -1) slot = (slot + 1) & last;
    slots[slot] = piece;
  }

  const hashes = new Int32Array(longest);
  const tried: PiecePosition = { start: 0, end: 0, isContinued: false };
  const findLongest: PieceTable["findLongest"] = (text, { start, end, isContinued }) => {
    const maxLength = Math.min(end - start, longest);
    let hash = isContinued ? CONTINUED : BASIS;
    for (let length = 0; length < maxLength; length += 1) {
      hash = Math.imul(hash ^ (text[start + length] ?? 0), PRIME);
      hashes[length] = hash;
    }
    tried.start = start;
    tried.isContinued = isContinued;
    for (let length = maxLength; length > 0; length -= 1) {
      tried.end = start + length;
      const piece = find(hashes[length - 1] ?? 0, text, tried);
      if (piece !== -1) return piece;
    }
    return -1;
  };

  const findWhole = (start: number, end: number): number => {
    const piece = findLongest(lines, { start, end, isContinued: false });
    return piece !== -1 && endOf(piece) - startOf(piece) === end - start ? piece : -1;
  };
  const chains = createChains(count, phrases.length);
  for (const phrase of phrases) {
    const space = lines.indexOf(SPACE, startOf(phrase));
    chains.add(findWhole(startOf(phrase), space), findWhole(space + 1, endOf(phrase)), phrase);
  }

  return {
    count,
    findLongest,
    lengthOf(piece) {
      const start = startOf(piece);
      return endOf(piece) - start - (lines[start] === MARK ? MARK_BYTES : 0);
    },
    findPhrase: chains.find,
  };
}

/** The start offset of each line, followed by the end of the last line. */
function findStarts(lines: Uint8Array): Uint32Array {
  const starts = new Uint32Array(lines.length + 2);
  let count = 1;
  for (let at = 0; at < lines.length; at += 1) if (lines[at] === LINE_END) starts[count++] = at + 1;
  starts[count] = lines.length + 1;
  return starts.slice(0, count + 1);
}

/** For each token, a linked list of the few tokens that form a phrase with it. */
function createChains(count: number, capacity: number) {
  const heads = new Int32Array(count).fill(-1);
  const links = new Int32Array(capacity);
  const seconds = new Int32Array(capacity);
  const values = new Int32Array(capacity);
  let used = 0;
  return {
    add(first: number, second: number, value: number): void {
      if (first === -1 || second === -1) return;
      links[used] = heads[first] ?? -1;
      seconds[used] = second;
      values[used] = value;
      heads[first] = used;
      used += 1;
    },
    find(first: number, second: number): number {
      for (let link = heads[first] ?? -1; link !== -1; link = links[link] ?? -1) {
        if (seconds[link] === second) return values[link] ?? -1;
      }
      return -1;
    },
  };
}
