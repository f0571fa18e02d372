/**
 * Cuts a text at a word boundary to at most `length` characters, including the ellipsis. Never cuts inside a surrogate
 * pair.
 */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  const space = head.lastIndexOf(" ");
  return `${(space > length / 2 ? head.slice(0, space) : head).replace(/[\s,;:.–-]+$/u, "")}…`;
}

/** Converts a text to one line: each run of white space and control characters becomes one space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** Copies a string: in V8, a substring keeps the whole original string in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Starts the text with a capital letter and ends it with a full stop, unless it ends with `.`, `?` or `!`. */
export function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}
