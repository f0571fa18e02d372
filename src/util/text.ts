/** Cuts at a word boundary to at most `length` characters, the mark included; never inside a character of two code units. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  const space = head.lastIndexOf(" ");
  return `${(space > length / 2 ? head.slice(0, space) : head).replace(/[\s,;:.–-]+$/u, "")}…`;
}

/** One line: runs of white space and control characters become one space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** The same text in memory of its own: a part of a long text keeps the whole of it alive. */
export function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
