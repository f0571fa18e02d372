import { invalidRequest } from "../util/invalid-request.js";
import { compileLinearPattern, type LinearPattern } from "../util/linear-pattern.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import type { LineIndex } from "./line-index.js";
import { describeNextCall, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { Slices } from "./slices.js";
import type { ShownText } from "./view-result.js";

const DEFAULT_CONTEXT = 2;
const MAX_PATTERN_CHARACTERS = 1000;
/** Instructions of the pattern times characters of the text. */
const MAX_WORK = 4_000_000_000;
const WORK_PER_SLICE = 2_000_000;
/** If the lines found are longer than the budget, each is cut to at least this many tokens. */
const MIN_LINE_TOKENS = 60;
const HINT =
  "Use RE2 syntax: it has no lookaround and no backreferences. Write a backslash before ( ) [ ] { } . * + ? | ^ $ to find the character itself.";

/** Returns the lines that match a regular expression, with the lines around them, as `grep -n` does. */
export function* readGrep(index: LineIndex, request: ReadRequest, options: ReadOptions): Slices<ShownText> {
  const { grep = "", context = DEFAULT_CONTEXT, ignore_case: ignoreCase = false } = request;
  const pattern = compile(grep, ignoreCase);
  if (pattern.size * index.text.length > MAX_WORK)
    throw invalidRequest(
      `The pattern ${JSON.stringify(grep)} is too complex for a text of ${index.text.length.toLocaleString("en-US")} characters.`,
      "Use a shorter pattern without large repetition counts.",
    );
  const hits: number[] = [];
  let count = 0;
  let work = 0;
  for (let number = 1; number <= index.count; number += 1) {
    const line = index.line(number);
    work += 50 * pattern.size + line.length * pattern.size;
    if (work > WORK_PER_SLICE) {
      work = 0;
      yield;
    }
    if (!pattern.test(line) && !(index.isDivided(number) && isAcross(pattern, line, index.line(number + 1)))) continue;
    count += 1;
    // Each line that is shown has a token or more.
    if (hits.length <= options.maxTokens) hits.push(number);
  }
  const total = index.count.toLocaleString("en-US");
  if (hits.length === 0) {
    const other = ignoreCase ? "a shorter pattern" : "ignore_case: true or a shorter pattern";
    const text = `No line matches ${JSON.stringify(grep)} in ${total} lines. Try ${other}, or read lines "1-50" to see how the text is written.`;
    return { text: cutToTokens(text, options.maxTokens) };
  }
  const header = `${count.toLocaleString("en-US")} ${count === 1 ? "matching line" : "matching lines"} in ${total}`;
  return yield* writeHits({ index, hits, count, context, header }, request, options);
}

/** Whether the pattern matches only where a long line is divided. */
function isAcross({ test }: LinearPattern, line: string, rest: string): boolean {
  return test(line + rest) && !test(rest);
}

function compile(source: string, ignoreCase: boolean): LinearPattern {
  if (source.length > MAX_PATTERN_CHARACTERS)
    throw invalidRequest(`The pattern is longer than ${MAX_PATTERN_CHARACTERS} characters.`, HINT);
  try {
    return compileLinearPattern(source, ignoreCase);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, "");
    const at = positionOf(source, reason);
    throw invalidRequest(`The pattern ${JSON.stringify(source)} is not valid: character ${at + 1}: ${reason}.`, HINT);
  }
}

/** The offset of the mistake. The message of RE2 quotes the wrong part, or for parentheses the whole pattern. */
function positionOf(source: string, reason: string): number {
  const part = /`([^]+)`$/.exec(reason)?.[1] ?? "";
  if (part !== source) return Math.max(0, part === "" ? source.length - 1 : source.indexOf(part));
  const open: number[] = [];
  let isClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (character === "[") isClass = true;
    else if (character === "]") isClass = false;
    else if (character === "(" && !isClass) open.push(at);
    else if (character === ")" && !isClass && open.pop() === undefined) return at;
  }
  return open.at(-1) ?? Math.max(0, source.indexOf("["));
}

interface Found {
  readonly index: LineIndex;
  /** The first ones. */
  readonly hits: readonly number[];
  readonly count: number;
  readonly context: number;
  readonly header: string;
}

function* writeHits(
  { index, hits, count, context, header }: Found,
  request: ReadRequest,
  options: ReadOptions,
): Slices<ShownText> {
  const footer = (shown: number): string => {
    const next = hits[shown] ?? index.count;
    const from = Math.max(1, next - context);
    const lines = `${from}-${Math.min(index.count, next + 50)}`;
    const { grep: _grep, context: _context, ignore_case: _case, ...rest } = request;
    const call = describeNextCall(options, { ...rest, lines });
    return `[${(count - shown).toLocaleString("en-US")} more matching lines, the next is line ${next}. ${call}]`;
  };
  let left = options.maxTokens - estimateTokens(header) - 1 - estimateTokens(footer(0)) - 6;
  const maxLine = Math.max(MIN_LINE_TOKENS, Math.floor(left / Math.min(hits.length, 8)));
  const lines: string[] = [];
  let last = 0;
  let shown = 0;
  for (const [order, hit] of hits.entries()) {
    if (order % 20 === 19) yield;
    const group: string[] = [];
    const from = Math.max(last + 1, hit - context);
    if (lines.length > 0 && context > 0 && from > last + 1) group.push("--");
    const near = hits.slice(order, order + context + 1);
    for (let number = from; number <= Math.min(index.count, hit + context); number += 1) {
      const isHit = near.includes(number);
      const line = cutToTokens(index.line(number), isHit ? maxLine : Math.ceil(maxLine / 2));
      const mark = line.length < index.line(number).length ? "…" : "";
      group.push(`${number}${isHit ? ":" : "-"} ${line}${mark}`);
    }
    const tokens = group.reduce((sum, line) => sum + estimateTokens(line) + 1, 0);
    if (tokens > left) {
      // A hit without its context is better than none.
      if (shown === 0) {
        lines.push(`${hit}: ${cutToTokens(index.line(hit), left - 8)}…`);
        shown = 1;
      }
      break;
    }
    left -= tokens;
    lines.push(...group);
    last = Math.max(last, Math.min(index.count, hit + context));
    shown = order + 1;
  }
  return { text: [header, ...lines].join("\n"), last: shown < count ? footer(shown) : undefined };
}
