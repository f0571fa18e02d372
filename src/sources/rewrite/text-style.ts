/** How a text is laid out: what is added to it looks like the rest. */
export interface TextStyle {
  readonly lineBreak: "\n" | "\r\n";
  /** One step of indentation. */
  readonly indent: string;
}

export function styleOf(text: string, fallbackIndent = "  "): TextStyle {
  const lineBreak = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  const [, tab, spaces] = /^(?:(\t)|( {1,8})(?! ))\S/m.exec(text) ?? [];
  return { lineBreak, indent: tab ?? spaces ?? fallbackIndent };
}

/** Where the line begins that holds the offset. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the next line begins after the offset; the end of the text on its last line. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

/** Where the line ends that holds the offset, before its break. */
export function lineEnd(text: string, offset: number): number {
  const next = nextLine(text, offset);
  return next - (/\r?\n$/.exec(text.slice(offset, next))?.[0].length ?? 0);
}

/** The white space that the line of the offset begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

/** Whether nothing but white space stands before the offset in its line. */
export function beginsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

/** Where the comment lines begin that stand directly above a line and are indented like it; else the line itself. */
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

/** A part of a text that gives way to another. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes all replacements at once; those that overlap are joined, and are deletions. */
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

/** Every line but the first indented, with the breaks of the style. */
export function indentLines(text: string, indent: string, { lineBreak }: TextStyle): string {
  return text.split("\n").join(`${lineBreak}${indent}`);
}
