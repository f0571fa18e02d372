import { type CharacterRange, type GlobStep, parseGlob } from "./glob-syntax.js";
import { foldName } from "../util/fold-name.js";
import { fingerprint } from "./subject.js";

/** A compiled glob that must match a whole normal form (see `foldName`). */
export interface Glob {
  /** Fingerprint bits that every matching string has (see `fingerprint`). */
  readonly pairs: number;
  readonly test: (folded: string) => boolean;
}

export function compileGlob(source: string): Glob {
  const alternatives = parseGlob(source).map((steps) => compileSteps(withRunsLast(steps).map(toMatcher)));
  const [only, ...others] = alternatives;
  if (only !== undefined && others.length === 0) return only;
  return {
    pairs: alternatives.reduce((bits, { pairs }) => bits & pairs, -1),
    test: (folded) => alternatives.some(({ test }) => test(folded)),
  };
}

/**
 * Moves `*` behind adjacent `?`: `*??` equals `??*`. Steps after a `*` are retried at every position, so there should
 * be few.
 */
function withRunsLast(steps: readonly GlobStep[]): GlobStep[] {
  const sorted: GlobStep[] = [];
  for (const step of steps) {
    const last = sorted.at(-1);
    if (last?.kind !== "run") sorted.push(step);
    else if (step.kind === "one") sorted.splice(-1, 0, step);
    else if (step.kind !== "run") sorted.push(step);
  }
  return sorted;
}

type Matcher =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "run" }
  | { readonly kind: "character"; readonly has: (codePoint: number) => boolean };

function toMatcher(step: GlobStep): Matcher {
  switch (step.kind) {
    case "run":
      return step;
    case "text":
      return { kind: "text", text: foldName(step.text) };
    case "one":
      return { kind: "character", has: () => true };
    case "set": {
      const folded = foldRanges(step.ranges);
      const isIn = (codePoint: number): boolean => isInSet(step, folded, codePoint);
      const ascii = Uint8Array.from({ length: 128 }, (_, codePoint) => (isIn(codePoint) ? 1 : 0));
      return {
        kind: "character",
        has: (codePoint) => (codePoint < 128 ? ascii[codePoint] === 1 : isIn(codePoint)),
      };
    }
  }
}

/** The most code points of a set whose normal forms are computed. A larger range is compared as it is written. */
const MAX_FOLDED = 2_000;

/** The normal forms of the code points in these ranges, as far as they are single code points. */
function foldRanges(ranges: readonly CharacterRange[]): ReadonlySet<number> {
  const folded = new Set<number>();
  let left = MAX_FOLDED;
  for (const [first, last] of ranges) {
    if (last - first >= left) continue;
    left -= last - first + 1;
    for (let codePoint = first; codePoint <= last; codePoint += 1) {
      const [only, ...others] = Array.from(foldName(String.fromCodePoint(codePoint)));
      if (only !== undefined && others.length === 0) folded.add(only.codePointAt(0) ?? codePoint);
    }
  }
  return folded;
}

/**
 * Whether a set such as `[A-Z]` contains a code point. The matched string is a normal form, but the set is as the user
 * wrote it. Therefore the normal forms of its members and the upper-case form of the code point are tested too.
 */
function isInSet(
  set: { negated: boolean; ranges: readonly CharacterRange[] },
  folded: ReadonlySet<number>,
  codePoint: number,
): boolean {
  const capital = toCapital(codePoint);
  const within = ([first, last]: CharacterRange): boolean =>
    (codePoint >= first && codePoint <= last) || (capital >= first && capital <= last);
  return (folded.has(codePoint) || set.ranges.some(within)) !== set.negated;
}

/** The upper-case form of a code point, if it is a single one: `ß` becomes "SS", so it is returned unchanged. */
function toCapital(codePoint: number): number {
  const upper = String.fromCodePoint(codePoint).toUpperCase();
  const capital = upper.codePointAt(0) ?? codePoint;
  return upper.length === widthOfCharacter(capital) ? capital : codePoint;
}

/**
 * Compiles one alternative. Most globs are one word with stars around it; for these, string methods are used, which are
 * many times faster.
 */
function compileSteps(matchers: readonly Matcher[]): Glob {
  const pairs = matchers.reduce(
    (bits, matcher) => (matcher.kind === "text" ? bits | fingerprint(matcher.text) : bits),
    0,
  );
  const text = matchers.find((matcher) => matcher.kind === "text")?.text ?? "";
  switch (matchers.map((matcher) => matcher.kind).join(" ")) {
    case "run":
      return { pairs, test: () => true };
    case "text":
      return { pairs, test: (folded) => folded === text };
    case "text run":
      return { pairs, test: (folded) => folded.startsWith(text) };
    case "run text":
      return { pairs, test: (folded) => folded.endsWith(text) };
    case "run text run":
      return { pairs, test: (folded) => folded.includes(text) };
    default:
      return { pairs, test: (folded) => matches(matchers, folded) };
  }
}

/**
 * Matches with two pointers: if a step does not match, only the last `*` consumes one more character. Earlier ones
 * never have to, because the steps after them already match as far left as possible. Backtracking to them would make
 * matching exponential.
 */
function matches(matchers: readonly Matcher[], text: string): boolean {
  let step = 0;
  let at = 0;
  let retry: { step: number; at: number } | undefined;
  for (;;) {
    const matcher = matchers[step];
    if (matcher === undefined && at === text.length) return true;
    if (matcher?.kind === "run") {
      step += 1;
      if (step === matchers.length) return true;
      retry = { step, at };
      continue;
    }
    const width = matcher === undefined ? 0 : widthOf(matcher, text, at);
    if (width > 0) {
      at += width;
      step += 1;
      continue;
    }
    if (retry === undefined || retry.at >= text.length) return false;
    retry.at = nextStart(matchers[retry.step], text, retry.at);
    ({ step, at } = retry);
  }
}

/** The number of UTF-16 code units that the matcher consumes at this position; 0 if it does not match. */
function widthOf(matcher: Exclude<Matcher, { kind: "run" }>, text: string, at: number): number {
  if (matcher.kind === "text") return text.startsWith(matcher.text, at) ? matcher.text.length : 0;
  const codePoint = text.codePointAt(at);
  return codePoint !== undefined && matcher.has(codePoint) ? widthOfCharacter(codePoint) : 0;
}

function widthOfCharacter(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

/** The next position after `at` at which this matcher can match. */
function nextStart(matcher: Matcher | undefined, text: string, at: number): number {
  if (matcher?.kind !== "text") return at + widthOfCharacter(text.codePointAt(at) ?? 0);
  const found = text.indexOf(matcher.text, at + 1);
  return found === -1 ? text.length : found;
}
