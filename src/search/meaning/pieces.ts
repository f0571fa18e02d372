import { createPieceTable, type PiecePosition } from "./piece-table.js";

/** The longest word in characters that is tokenized. Longer ones are noise, such as hashes and encoded data. */
const MAX_WORD_LENGTH = 40;
/** The size of the text buffer in bytes. The texts that the model reads are always shorter. */
const MAX_TEXT_BYTES = 65_536;

/**
 * Writes the token numbers of a text into a list, in order, and returns their count. Words that cannot be tokenized are
 * skipped. The list needs room for `maxPieces` tokens and as many phrases.
 */
export type ReadPieces = (text: string, maxPieces: number, into: Int32Array) => number;

/**
 * Splits the words of a text greedily into the longest known subword tokens, like BERT's tokenizer (WordPiece). Phrases
 * (pairs of adjacent tokens that have their own vector) are added after all tokens. `vocabulary` is UTF-8 text with one
 * entry per line.
 */
export function createPieceReader(vocabulary: Uint8Array): ReadPieces {
  const table = createPieceTable(vocabulary);
  const bytes = new Uint8Array(MAX_TEXT_BYTES);
  const encoder = new TextEncoder();
  const position: PiecePosition = { start: 0, end: 0, isContinued: false };
  const word = new Int32Array(MAX_WORD_LENGTH);

  const write = (text: string): number => {
    const { read, written } = encoder.encodeInto(text, bytes);
    // Most texts are ASCII and need no normalization.
    return read === written && read === text.length ? written : encoder.encodeInto(fold(text), bytes).written;
  };

  /** Splits a word and returns the number of its tokens; 0 if a part of the word is not in the vocabulary. */
  const splitWord = (start: number, end: number): number => {
    let count = 0;
    position.start = start;
    position.end = end;
    position.isContinued = false;
    while (position.start < end) {
      const piece = table.findLongest(bytes, position);
      if (piece === -1) return 0;
      word[count] = piece;
      count += 1;
      position.start += table.lengthOf(piece);
      position.isContinued = true;
    }
    return count;
  };

  return (text, maxPieces, into) => {
    const length = write(text);
    let count = 0;
    for (let start = 0; start < length && count < maxPieces; ) {
      let end = start;
      let letters = 0;
      for (let letter = 0; end < length; end += 1) {
        letter = LETTERS[bytes[end] ?? 0] ?? 0;
        if (letter === 0) break;
        bytes[end] = letter;
        if ((letter & 0xc0) !== 0x80) letters += 1;
      }
      const found = end > start && letters <= MAX_WORD_LENGTH ? splitWord(start, end) : 0;
      for (let at = 0; at < found && count < maxPieces; at += 1, count += 1) into[count] = word[at] ?? 0;
      start = end + 1;
    }
    const last = count - 1;
    for (let at = 0; at < last; at += 1) {
      const phrase = table.findPhrase(into[at] ?? -1, into[at + 1] ?? -1);
      if (phrase !== -1) into[count++] = phrase;
    }
    return count;
  };
}

/**
 * For each byte, its lower-case form if it belongs to a word, otherwise 0. All bytes of multi-byte characters count as
 * letters, because `fold` has replaced all others with spaces.
 */
const LETTERS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte))) return byte;
  return /[A-Z]/.test(String.fromCharCode(byte)) ? byte + 32 : 0;
});

/**
 * Normalizes to lower case without diacritics. Each Han or Hiragana character becomes a separate word, because these
 * scripts have no spaces.
 */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/[\p{Script=Han}\p{Script=Hiragana}]/gu, " $& ");
}
