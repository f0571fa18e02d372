// The text of a program comes in, the local files that it names go out; it refuses to know whether they are there.

/** A file that a program names in an import or a `require`. */
export interface Reference {
  /** As the program means it, whatever escapes it is written with. */
  readonly specifier: string;
  readonly isRequired: boolean;
}

const KEYWORD = /\b(?:from|import|require|export)\b/g;
const LOCAL = /^(?:\.{1,2}(?:\/|$)|\/|file:)/i;

/**
 * The local files that a program names as a literal. Each word that may begin a reference is looked at by itself, also in
 * comments and texts: a file too many does no harm, and nothing before the word can hide it. Takes time in proportion to
 * the text, whatever is in it. Those that are required come last, so that they take back what an import of the same said.
 */
export function referencesIn(text: string): Reference[] {
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

/** For each place in the text, where the blanks, comments, parentheses and `?.` end that begin there. */
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
const LARGEST_CODE_POINT = 0x10ffff;

/** What the quoted text means that begins there; undefined when there is none or it depends on something. */
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
  if (code <= LARGEST_CODE_POINT) return String.fromCodePoint(code);
  return lineEnd === undefined ? (CONTROL[other] ?? other) : "";
}
