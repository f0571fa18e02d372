import { createScanner } from "jsonc-parser";

/** Whether the value under these keys is wanted; asked for the outermost two levels of objects. */
export type Wanted = (path: readonly string[]) => boolean;

const DEEPEST_ASKED = 2;
const DEEPEST_FOLLOWED = 1_000;

interface OpenValue {
  readonly isMap: boolean;
  /** The member that is being read; undefined before its key. */
  key: string | undefined;
}

/**
 * The text with every unwanted value blanked, everything else in its place. Settings of editors and `~/.claude.json`
 * hold megabytes that are not ours: what is wrong or oversized in there must not cost us the servers.
 */
export function keepJsonSections(text: string, wanted: Wanted): string {
  const scanner = createScanner(text, true);
  const open: OpenValue[] = [];
  const pieces: string[] = [];
  let copied = 0;

  function isUnwanted(): boolean {
    if (open.length === 0 || open.length > DEEPEST_ASKED || !open.every(({ isMap }) => isMap)) return false;
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
        // Nothing that nests like this is wanted; the parser says where it does.
        if (open.length > DEEPEST_FOLLOWED) return text;
      }
    }
  }
  return pieces.join("") + text.slice(copied);
}

/** Where the next member begins or what holds this one ends. Looks at no more than it must: the value may be huge. */
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

/** The closing quote, or the end of the line: no text of JSON goes beyond it. */
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
 * As long as before and with the same line breaks, so that every position after it stays true. A long one becomes a
 * comment, which the parser skips a hundred times faster than white space.
 */
function blank(value: string): string {
  const spaces = value.slice(1).replace(/[^\r\n]+/g, (run) => " ".repeat(run.length));
  return /^ {2}[^]* {2}$/.test(spaces) ? `0/*${spaces.slice(2, -2)}*/` : `0${spaces}`;
}
