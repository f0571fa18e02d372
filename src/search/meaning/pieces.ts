import { createPieceTable, type Place } from "./piece-table.js";

/** Longer words, in characters, are noise: hashes, encoded data. */
const LONGEST_WORD = 40;
/** More bytes than a text can have that is cut to what the model reads, marks and all. */
const LONGEST_TEXT = 65_536;

/** From a text to the numbers of its pieces, in their order, and how many these are; what has no piece is left out. There is room for `most` and as many phrases. */
export type ReadPieces = (text: string, most: number, into: Int32Array) => number;

/**
 * The words of a text, cut greedily into the longest known pieces, as BERT's tokenizer does; phrases, two neighbouring
 * pieces that mean something of their own, are added after all pieces. The vocabulary is lines of UTF-8.
 */
export function createPieceReader(vocabulary: Uint8Array): ReadPieces {
  const table = createPieceTable(vocabulary);
  const bytes = new Uint8Array(LONGEST_TEXT);
  const encoder = new TextEncoder();
  const place: Place = { start: 0, end: 0, isContinued: false };
  const word = new Int32Array(LONGEST_WORD);

  const write = (text: string): number => {
    const { read, written } = encoder.encodeInto(text, bytes);
    // Most texts are plain English, and need no folding.
    return read === written && read === text.length ? written : encoder.encodeInto(fold(text), bytes).written;
  };

  /** How many pieces the word has; none when a part of it has no piece. */
  const cutWord = (start: number, end: number): number => {
    let count = 0;
    place.start = start;
    place.end = end;
    place.isContinued = false;
    while (place.start < end) {
      const piece = table.findLongest(bytes, place);
      if (piece === -1) return 0;
      word[count] = piece;
      count += 1;
      place.start += table.lengthOf(piece);
      place.isContinued = true;
    }
    return count;
  };

  return (text, most, into) => {
    const length = write(text);
    let count = 0;
    for (let start = 0; start < length && count < most; ) {
      let end = start;
      let letters = 0;
      for (let letter = 0; end < length; end += 1) {
        letter = LETTERS[bytes[end] ?? 0] ?? 0;
        if (letter === 0) break;
        bytes[end] = letter;
        if ((letter & 0xc0) !== 0x80) letters += 1;
      }
      const found = end > start && letters <= LONGEST_WORD ? cutWord(start, end) : 0;
      for (let at = 0; at < found && count < most; at += 1, count += 1) into[count] = word[at] ?? 0;
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

/** By byte: what stands for it in a word, in lower case, or 0 between words. Bytes of longer characters are letters: `fold` left no others. */
const LETTERS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte))) return byte;
  return /[A-Z]/.test(String.fromCharCode(byte)) ? byte + 32 : 0;
});

/** Lower case, without marks; characters of scripts without spaces stand alone. */
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
