import { compileGlob } from "./glob.js";
import { compileRegex, splitRegex } from "./regex.js";
import type { Subject } from "./subject.js";

/** One pattern of a rule, ready to be tried. */
export interface Pattern {
  /** As the person wrote it, `!` included. */
  readonly source: string;
  readonly negated: boolean;
  /** Fingerprint bits without which `test` is false. */
  readonly pairs: number;
  /** Whether the pattern itself fits; what `negated` makes of that is the rule's business. */
  readonly test: (subject: Subject) => boolean;
}

export function compilePattern(source: string): Pattern {
  const negated = source.startsWith("!");
  const body = negated ? source.slice(1) : source;
  const regex = splitRegex(body);
  if (regex !== undefined) {
    const { test } = compileRegex(regex.source, regex.flags);
    return { source, negated, pairs: 0, test: (subject) => test(subject.written) };
  }
  const { pairs, test } = compileGlob(body);
  return { source, negated, pairs, test: (subject) => (pairs & ~subject.pairs) === 0 && test(subject.folded) };
}
