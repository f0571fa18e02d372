import { RE2JS } from "re2js";

/** A compiled regular expression. Matching takes linear time for every pattern and text. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** How many instructions the compiled pattern has. A character takes at most this many steps. */
  readonly size: number;
}

/**
 * Compiles a JavaScript regular expression with RE2. Throws an error with the reason if RE2 cannot express it
 * (lookaround, backreferences) or if the syntax is wrong.
 */
export function compileLinearPattern(source: string, ignoreCase: boolean): LinearPattern {
  const pattern = RE2JS.compile(RE2JS.translateRegExp(source), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return { test: (text) => pattern.test(text), size: pattern.programSize() };
}
