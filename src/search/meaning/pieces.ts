import { copyText } from "../../util/text.js";

/** Longer words are noise: hashes, encoded data. */
const LONGEST_WORD = 40;
const CONTINUED = "##";

/** From a text to the numbers of its pieces, in their order; what has no piece is left out. */
export type ReadPieces = (text: string, most: number) => number[];

/**
 * The words of a text, cut greedily into the longest known pieces, as BERT's tokenizer does; entries with a space are
 * phrases: two neighbouring pieces that mean something of their own, added after all pieces.
 */
export function createPieceReader(vocabulary: readonly string[]): ReadPieces {
  const numbers = new Map<string, number>();
  for (let number = 0; number < vocabulary.length; number += 1) numbers.set(vocabulary[number] ?? "", number);
  const phrases = new Map<number, Map<number, number>>();
  for (const [piece, number] of numbers) {
    if (!piece.includes(" ")) continue;
    const [left = "", right = ""] = piece.split(" ");
    const first = numbers.get(left);
    const second = numbers.get(right);
    if (first === undefined || second === undefined) continue;
    const byFirst = phrases.get(first) ?? new Map<number, number>();
    phrases.set(first, byFirst);
    byFirst.set(second, number);
  }
  const known = new Map<string, readonly number[]>();

  const cutWord = (word: string): readonly number[] => {
    let pieces = known.get(word);
    if (pieces === undefined) {
      pieces = toPieces(word, numbers);
      if (known.size > MOST_REMEMBERED) known.clear();
      known.set(copyText(word), pieces);
    }
    return pieces;
  };

  return (text, most) => {
    const pieces: number[] = [];
    for (const word of toWords(text)) {
      for (const piece of cutWord(word)) if (pieces.length < most) pieces.push(piece);
      if (pieces.length >= most) break;
    }
    const last = pieces.length - 1;
    for (let at = 0; at < last; at += 1) {
      const phrase = phrases.get(pieces[at] ?? -1)?.get(pieces[at + 1] ?? -1);
      if (phrase !== undefined) pieces.push(phrase);
    }
    return pieces;
  };
}

const MOST_REMEMBERED = 50_000;

/** Lower case, without marks; characters of scripts without spaces stand alone. */
function toWords(text: string): readonly string[] {
  // Most texts are plain English, and need none of the rest.
  if (!/[\u0080-\uffff]/u.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(/[\p{Script=Han}\p{Script=Hiragana}]/gu, " $& ")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Nothing when a part of the word has no piece. */
function toPieces(word: string, numbers: ReadonlyMap<string, number>): number[] {
  const letters = Array.from(word);
  if (letters.length > LONGEST_WORD) return [];
  const pieces: number[] = [];
  for (let start = 0; start < letters.length; ) {
    let end = letters.length;
    let piece: number | undefined;
    for (; end > start; end -= 1) {
      piece = numbers.get(`${start === 0 ? "" : CONTINUED}${letters.slice(start, end).join("")}`);
      if (piece !== undefined) break;
    }
    if (piece === undefined) return [];
    pieces.push(piece);
    start = end;
  }
  return pieces;
}
