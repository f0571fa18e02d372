import { toCallerNumber } from "../exact-number.js";
import { selectSyntaxError } from "./syntax-error.js";

export type JmesTokenType =
  | "identifier"
  | "quoted"
  | "number"
  | "literal"
  | "end"
  | "."
  | "*"
  | "["
  | "[]"
  | "[?"
  | "]"
  | "{"
  | "}"
  | "("
  | ")"
  | ","
  | ":"
  | "|"
  | "||"
  | "&"
  | "&&"
  | "!"
  | "@"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">=";

export interface JmesToken {
  readonly type: JmesTokenType;
  /** The name of an identifier, the value of a literal, the number. */
  readonly value: unknown;
  readonly from: number;
  readonly end: number;
}

const SPACE = /[ \t\r\n]*/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+/y;
const SYMBOL = /\[\]|\[\?|\|\||&&|==|!=|<=|>=|[.*[\]{}(),:|&!@<>]/y;
const QUOTED = { '"': "double quote", "'": "single quote", "`": "backtick" } as const;

export function readJmesTokens(expression: string): JmesToken[] {
  const tokens: JmesToken[] = [];
  const matchAt = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(expression)?.[0];
  };
  let at = matchAt(SPACE, 0)?.length ?? 0;
  while (at < expression.length) {
    const from = at;
    const first = expression[at] ?? "";
    const add = (type: JmesTokenType, end: number, value?: unknown): void => {
      tokens.push({ type, value, from, end });
      at = end;
    };
    const word = matchAt(IDENTIFIER, at);
    const digits = matchAt(NUMBER, at);
    const symbol = matchAt(SYMBOL, at);
    if (word !== undefined) add("identifier", at + word.length, word);
    else if (digits !== undefined) add("number", at + digits.length, Number(digits));
    else if (first === '"' || first === "'" || first === "`") {
      const end = findClosing(expression, at, first);
      const raw = expression.slice(at + 1, end - 1);
      if (first === '"') add("quoted", end, readQuoted(expression, at, end));
      else add("literal", end, first === "'" ? raw.replaceAll("\\'", "'") : readLiteral(expression, at, raw));
    } else if (symbol !== undefined) add(symbol as JmesTokenType, at + symbol.length);
    else throw selectSyntaxError(expression, at, describeStray(expression, at));
    at += matchAt(SPACE, at)?.length ?? 0;
  }
  tokens.push({ type: "end", value: undefined, from: expression.length, end: expression.length });
  return tokens;
}

/** The offset after the closing quote. A backslash escapes the next character. */
function findClosing(expression: string, from: number, quote: keyof typeof QUOTED): number {
  for (let at = from + 1; at < expression.length; at += 1) {
    if (expression[at] === "\\") at += 1;
    else if (expression[at] === quote) return at + 1;
  }
  throw selectSyntaxError(expression, from, `the ${QUOTED[quote]} that starts here is not closed`);
}

function readQuoted(expression: string, from: number, end: number): string {
  try {
    return String(JSON.parse(expression.slice(from, end)));
  } catch {
    throw selectSyntaxError(expression, from, "the quoted name is not a valid JSON string");
  }
}

/** A literal is JSON. A literal that does not look like JSON is a string, as in the first version of JMESPath. */
function readLiteral(expression: string, from: number, raw: string): unknown {
  const text = raw.replaceAll("\\`", "`").trim();
  try {
    const value: unknown = JSON.parse(text);
    // The native parser rounds long numbers.
    return typeof value === "number" ? toCallerNumber(text) : value;
  } catch {
    if (/^[\p{L}_]/u.test(text)) return text;
    throw selectSyntaxError(expression, from, "the literal between backticks is not valid JSON");
  }
}

function describeStray(expression: string, at: number): string {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0);
  if (character === "=") return 'unexpected "="; the operator for equality is "=="';
  if (character === "$") return 'unexpected "$"; JMESPath starts at the root, so leave out "$."';
  return `unexpected ${JSON.stringify(character)}; put a name that contains it into double quotes`;
}
