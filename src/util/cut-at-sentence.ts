import { cutAtWord, toOneLine } from "./text.js";

/**
 * Shortens a text to one line of at most `length` characters. Cuts after a sentence if one ends in the second half of
 * the line, otherwise at a word.
 */
export function cutAtSentence(text: string, length: number): string {
  // Read only the start, to bound the time for hostile texts. Removing white space rarely shrinks a text by more than
  // this factor.
  const line = toOneLine(text.slice(0, length * 4));
  if (line.length <= length && text.length <= length * 4) return line;
  const end = line.lastIndexOf(". ", length - 2);
  return end > length / 2 ? `${line.slice(0, end + 1)}…` : `${cutAtWord(line, length).replace(/…$/u, "")}…`;
}
