/** The formatting of a file's text, which added text follows. */
export interface TextStyle {
  readonly lineBreak: "\n" | "\r\n";
  /** The white space of one indentation level. */
  readonly indent: string;
}

export function styleOf(text: string, fallbackIndent = "  "): TextStyle {
  const lineBreak = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  const [, tab, spaces] = /^(?:(\t)|( {1,8})(?! ))\S/m.exec(text) ?? [];
  return { lineBreak, indent: tab ?? spaces ?? fallbackIndent };
}

/** The offset at which the line that contains `offset` begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The offset at which the line after `offset` begins; on the last line, the length of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

/** The offset at which the line that contains `offset` ends, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const next = nextLine(text, offset);
  return next - (/\r?\n$/.exec(text.slice(offset, next))?.[0].length ?? 0);
}

/** The leading white space of the line that contains `offset`. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

/** Whether only white space is between the beginning of the line and `offset`. */
export function beginsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

/**
 * The offset of the first of the comment lines directly above a line, with the same indentation. If there are none, the
 * start of the line itself.
 */
export function commentStart(text: string, start: number, comment: RegExp): number {
  const indent = indentAt(text, start);
  let first = start;
  while (first > 0) {
    const above = lineStart(text, first - 1);
    const row = text.slice(above, first);
    if (indentAt(text, above) !== indent || !comment.test(row.trim())) break;
    first = above;
  }
  return first;
}

/** A range of a text and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies all replacements. Ranges may overlap only if they are deletions; these are merged. */
export function splice(text: string, splices: readonly Splice[]): string {
  const sorted = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = "";
  let copied = 0;
  for (const { start, end, text: inserted } of sorted) {
    result += text.slice(copied, Math.max(copied, start)) + inserted;
    copied = Math.max(copied, end);
  }
  return result + text.slice(copied);
}

/** Indents every line except the first, and replaces line breaks with the one that the file uses. */
export function indentLines(text: string, indent: string, { lineBreak }: TextStyle): string {
  return text.split("\n").join(`${lineBreak}${indent}`);
}
