/** The variables that a `.env` file sets, and warnings about lines that are ignored or ambiguous. */
export interface Dotenv {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: readonly DotenvFault[];
}

export interface DotenvFault {
  readonly line: number;
  /** What is wrong with the line, as a predicate. It never repeats text that may be secret. */
  readonly reason: string;
}

/**
 * Parses a `.env` file; also used for the `envFile` of a server. Supports `export`, single, double and back quotes over
 * several lines, escapes in double quotes, and comments. Nothing is expanded or run: `$NAME` and `$(command)` are left
 * unchanged.
 */
export function parseDotenv(text: string): Dotenv {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const values = new Map<string, string>();
  const faults: DotenvFault[] = [];
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const statement = readStatement(source, at);
    const fault = (reason: string): void => void faults.push({ line, reason });
    if (statement.kind === "fault") fault(statement.reason);
    if (statement.kind === "assignment") {
      const { name, value, warning } = statement;
      if (values.has(name)) fault(`sets ${name} again; the last value is used`);
      if (warning !== undefined) fault(warning);
      values.set(name, value);
    }
    line += countBreaks(source, at, statement.end);
    at = statement.end;
  }
  return { values, faults };
}

type Statement = { readonly end: number } & (
  | { readonly kind: "nothing" }
  | { readonly kind: "fault"; readonly reason: string }
  | { readonly kind: "assignment"; readonly name: string; readonly value: string; readonly warning?: string }
);

const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const HEAD = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/y;
const REST_OF_LINE = /[^\n]*(?:\n|$)/y;

function readStatement(source: string, at: number): Statement {
  const blank = matchAt(BLANK, source, at);
  if (blank !== undefined) return { kind: "nothing", end: at + blank[0].length };
  const endOfLine = (from: number): number => from + (matchAt(REST_OF_LINE, source, from)?.[0].length ?? 0);
  const head = matchAt(HEAD, source, at);
  const name = head?.[1];
  if (head === undefined || name === undefined) {
    return { kind: "fault", reason: "is not an assignment and was ignored", end: endOfLine(at) };
  }
  const start = at + head[0].length;
  const quote = QUOTES[source[start] ?? ""];
  if (quote === undefined) {
    const end = endOfLine(start);
    return { kind: "assignment", name, ...unquoted(source.slice(start, end)), end };
  }
  const quoted = matchAt(quote, source, start);
  if (quoted === undefined) {
    return {
      kind: "fault",
      reason: `opens a quote for ${name} and does not close it; it was ignored`,
      end: endOfLine(start),
    };
  }
  const after = start + quoted[0].length;
  const rest = matchAt(BLANK, source, after);
  if (rest === undefined) {
    return {
      kind: "fault",
      reason: `has text after the closing quote of ${name} and was ignored`,
      end: endOfLine(after),
    };
  }
  const raw = quoted[0].slice(1, -1);
  return { kind: "assignment", name, value: source[start] === '"' ? unescape(raw) : raw, end: after + rest[0].length };
}

/**
 * Regular expressions for quoted values, which may span several lines, by quote character. Their alternatives do not
 * overlap, so that there is no backtracking.
 */
const QUOTES: Readonly<Record<string, RegExp>> = {
  '"': /"(?:[^"\\]|\\[^])*"/y,
  "'": /'[^']*'/y,
  "`": /`[^`]*`/y,
};

/**
 * Parses an unquoted value. A hash always starts a comment, as in Node.js and dotenv; a hash directly after the value
 * causes a warning.
 */
function unquoted(text: string): { value: string; warning?: string } {
  const hash = text.indexOf("#");
  const value = (hash === -1 ? text : text.slice(0, hash)).trim();
  if (hash <= 0 || /[ \t]/.test(text[hash - 1] ?? "")) return { value };
  return { value, warning: "has a comment right after a value; put the value in quotes if the # belongs to it" };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };

function unescape(text: string): string {
  return text.replace(/\\([^])/g, (whole, character: string) => ESCAPES[character] ?? whole);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function countBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) breaks += 1;
  return breaks;
}
