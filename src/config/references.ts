// Finds the local files that a program imports or requires, without checking that they exist.

/** A file that a program refers to in an import or a `require`. */
export interface Reference {
  /** The specifier with escape sequences decoded. */
  readonly specifier: string;
  readonly isRequired: boolean;
}

const KEYWORD = /\b(?:from|import|require|export)\b/g;
const LOCAL = /^(?:\.{1,2}(?:\/|$)|\/|file:)/i;

/**
 * The local files that a program refers to by a string literal. Every `import`, `from`, `export` and `require` counts,
 * even in comments and strings: an extra file does no harm, and no text before a keyword can hide it. The time is
 * linear in the text length. Required files come last, so that they override an import of the same file.
 */
export function referencesInText(text: string): Reference[] {
  const ends = blankEnds(text);
  const literals = new Map<number, string | undefined>();
  const imported = new Set<string>();
  const required = new Set<string>();
  for (const { 0: word, index } of text.matchAll(KEYWORD)) {
    const start = ends[index + word.length] ?? text.length;
    if (!literals.has(start)) literals.set(start, literalAt(text, start));
    const specifier = literals.get(start);
    if (specifier === undefined || !LOCAL.test(specifier)) continue;
    (word === "require" ? required : imported).add(specifier);
  }
  return [
    ...[...imported].map((specifier) => ({ specifier, isRequired: false })),
    ...[...required].map((specifier) => ({ specifier, isRequired: true })),
  ];
}

/** For each offset, the end of the run of white space, comments, parentheses and `?.` that starts there. */
function blankEnds(text: string): Int32Array {
  const { length } = text;
  const ends = new Int32Array(length + 1).fill(length);
  let lineEnd = length;
  let commentEnd = length;
  let commentEndAfter = length;
  for (let at = length - 1; at >= 0; at -= 1) {
    const character = text.charAt(at);
    const pair = PAIRED.has(character) ? text.slice(at, at + 2) : character;
    if (LINE_END.test(character)) lineEnd = at;
    if (pair === "//") ends[at] = ends[lineEnd] ?? length;
    // `/*/` does not end the comment that it begins.
    else if (pair === "/*") ends[at] = ends[text.charAt(at + 2) === "/" ? commentEndAfter : commentEnd] ?? length;
    else if (pair === "?.") ends[at] = ends[at + 2] ?? length;
    else ends[at] = BLANK.test(character) ? (ends[at + 1] ?? length) : at;
    if (pair === "*/") [commentEnd, commentEndAfter] = [at + 2, commentEnd];
  }
  return ends;
}

const PAIRED = new Set("/?*");
const LINE_END = /[\n\r\u2028\u2029]/;
const BLANK = /[\s(]/;
const QUOTE = /["'`]/;
const ESCAPE =
  /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]+)\}|([0-3][0-7]{0,2}|[4-7][0-7]?)|(\r\n|[\n\r\u2028\u2029])|([^]))/g;
const CONTROL: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const MAX_CODE_POINT = 0x10ffff;

/** The decoded string literal at the offset; undefined if there is none or it contains an expression. */
function literalAt(text: string, start: number): string | undefined {
  const quote = text.charAt(start);
  if (!QUOTE.test(quote)) return undefined;
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== quote) {
    const character = text.charAt(end);
    if (quote === "`" ? text.startsWith("${", end) : character === "\n" || character === "\r") return undefined;
    end += character !== "\\" ? 1 : text.startsWith("\r\n", end + 1) ? 3 : 2;
  }
  return end < text.length ? text.slice(start + 1, end).replace(ESCAPE, decode) : undefined;
}

function decode(_: string, ...groups: (string | undefined)[]): string {
  const [two, four, braced, octal, lineEnd, other = ""] = groups;
  const hexadecimal = two ?? four ?? braced;
  const code = hexadecimal === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hexadecimal, 16);
  if (code <= MAX_CODE_POINT) return String.fromCodePoint(code);
  return lineEnd === undefined ? (CONTROL[other] ?? other) : "";
}
