/** One statement of a TOML text: a header or an assignment; it occupies whole lines. */
export interface TomlStatement {
  readonly kind: "table" | "array" | "pair";
  /** The full path from the document root. */
  readonly path: readonly string[];
  /** The offset at which its first line begins. */
  readonly start: number;
  /** The offset at which the line after the statement begins. */
  readonly end: number;
}

/**
 * Finds the statements of a valid TOML text. It parses only what is needed for that: the four string types, multi-line
 * arrays and inline tables, and comments.
 */
export function findStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const content = skipBlanks(text, at);
    const end = endOfStatement(text, content);
    const header = /^\[\[?/.exec(text.slice(content, content + 2))?.[0];
    if (header !== undefined) {
      table = readKey(text, content + header.length).path;
      statements.push({ kind: header === "[[" ? "array" : "table", path: table, start, end });
    } else if (!/^(?:#|\r?\n|$)/.test(text.slice(content, content + 2))) {
      statements.push({ kind: "pair", path: [...table, ...readKey(text, content).path], start, end });
    }
    at = end;
  }
  return statements;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

/** Returns the offset at which the line after the statement begins, once all brackets and strings are closed. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\n" && depth === 0) return at + 1;
    if (character === "#") at = endOfLine(text, at) - 1;
    else if (character === '"' || character === "'") at = endOfString(text, at) - 1;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
  }
  return text.length;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function endOfString(text: string, at: number): number {
  const quote = text[at] ?? "";
  const long = quote.repeat(3);
  const isLong = text.startsWith(long, at);
  let end = at + (isLong ? 3 : 1);
  while (end < text.length) {
    if (quote === '"' && text[end] === "\\") end += 2;
    else if (isLong && text.startsWith(long, end)) return end + quotesAt(text, end);
    else if (!isLong && (text[end] === quote || text[end] === "\n")) return end + 1;
    else end += 1;
  }
  return text.length;
}

/** Reads a key: one or more parts separated by dots. */
function readKey(text: string, from: number): { readonly path: readonly string[] } {
  const path: string[] = [];
  for (let at = skipBlanks(text, from); at < text.length; ) {
    const quote = text[at];
    const end = quote === '"' || quote === "'" ? endOfString(text, at) : endOfBareKey(text, at);
    path.push(quote === '"' ? unescape(text.slice(at, end)) : text.slice(at, end).replace(/^'|'$/g, ""));
    at = skipBlanks(text, end);
    if (text[at] !== ".") break;
    at = skipBlanks(text, at + 1);
  }
  return { path };
}

function endOfBareKey(text: string, from: number): number {
  let at = from;
  while (/[\w-]/.test(text[at] ?? "")) at += 1;
  return Math.max(at, from + 1);
}

function unescape(quoted: string): string {
  const wide = quoted.replace(/\\U([0-9A-Fa-f]{8})/g, (_, code: string) =>
    JSON.stringify(String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))).slice(1, -1),
  );
  try {
    return String(JSON.parse(wide));
  } catch {
    return quoted;
  }
}

/**
 * Counts the quotes at the end of a multi-line string: its content may end with up to two quotes before the closing
 * three.
 */
function quotesAt(text: string, at: number): number {
  return /^(?:"{3,5}|'{3,5})/.exec(text.slice(at, at + 5))?.[0].length ?? 3;
}
