import { createScanner } from "jsonc-parser";

/** Whether the value at this path is needed; called for the outermost two levels of objects. */
export type WantedPath = (path: readonly string[]) => boolean;

const MAX_FILTERED_DEPTH = 2;
const MAX_DEPTH = 1_000;

interface OpenValue {
  readonly isMap: boolean;
  /** The key of the member that is being read; undefined until the key has been read. */
  key: string | undefined;
}

/**
 * Replaces every unwanted value with blanks, so that all positions stay the same. Editor settings and `~/.claude.json`
 * contain megabytes of other data; invalid or oversized values there must not prevent reading the servers.
 */
export function keepJsonSections(text: string, wanted: WantedPath): string {
  const scanner = createScanner(text, true);
  const open: OpenValue[] = [];
  const pieces: string[] = [];
  let copied = 0;

  function isUnwanted(): boolean {
    if (open.length === 0 || open.length > MAX_FILTERED_DEPTH || !open.every(({ isMap }) => isMap)) return false;
    return !wanted(open.map(({ key }) => key ?? ""));
  }

  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const character = text[start];
    const inner = open.at(-1);
    if (character === "}" || character === "]") {
      open.pop();
    } else if (character === ",") {
      if (inner !== undefined) inner.key = undefined;
    } else if (inner?.isMap === true && inner.key === undefined) {
      inner.key = scanner.getTokenValue();
    } else if (character !== ":") {
      if (isUnwanted()) {
        const end = endOfValue(text, start);
        pieces.push(text.slice(copied, start), blank(text.slice(start, end)));
        copied = end;
        scanner.setPosition(end);
      } else if (character === "{" || character === "[") {
        open.push({ isMap: character === "{", key: undefined });
        // No wanted value nests this deep: return the text unchanged, so that the parser reports the position.
        if (open.length > MAX_DEPTH) return text;
      }
    }
  }
  return pieces.join("") + text.slice(copied);
}

/** The offset of the comma or closing bracket after the value. Found without parsing, because the value may be huge. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "/") at = endOfComment(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (depth === 0 && (character === "," || character === "}" || character === "]")) return at;
    else if (character === "}" || character === "]") depth -= 1;
  }
  return text.length;
}

/** The offset of the closing quote, or of the line end: a JSON string cannot contain a line break. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"' || text[at] === "\n") return at;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const close = text[start + 1] === "/" ? "\n" : "*/";
  if (text[start + 1] !== "/" && text[start + 1] !== "*") return start;
  const end = text.indexOf(close, start + 2);
  return end === -1 ? text.length : end + close.length - 1;
}

/**
 * A replacement with the same length and line breaks, so that later positions stay correct. A value that neither begins
 * nor ends with a line break becomes a comment, which the parser skips a hundred times faster than white space. The regular expressions here contain no
 * repetition, because on values of a megabyte V8 can run out of stack in one.
 */
function blank(value: string): string {
  const parts = value.slice(1).split(/(\r\n?|\n)/);
  const spaces = parts.map((part, index) => (index % 2 === 1 ? part : " ".repeat(part.length))).join("");
  const isLong = spaces.length >= 4 && spaces.startsWith("  ") && spaces.endsWith("  ");
  return isLong ? `0/*${spaces.slice(2, -2)}*/` : `0${spaces}`;
}
