import { cutAtWord, toOneLine } from "./text.js";

/** One line of at most `length` characters, cut after a sentence where one ends in the last part, else at a word. */
export function cutAtSentence(text: string, length: number): string {
  // What is read decides how long a hostile text takes; nothing further back can be shown.
  const line = toOneLine(text.slice(0, length * 4));
  if (line.length <= length && text.length <= length * 4) return line;
  const end = line.lastIndexOf(". ", length - 2);
  return end > length / 2 ? `${line.slice(0, end + 1)}…` : `${cutAtWord(line, length).replace(/…$/u, "")}…`;
}
