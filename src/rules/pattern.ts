import { compileGlob } from "./glob.js";
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

export type CompilePattern = (source: string) => Pattern;

/** A compiler for the given patterns. The regex engine is many times larger than the rest of this stage, so it is loaded only when one of them needs it. */
export async function openPatternCompiler(sources: Iterable<string>): Promise<CompilePattern> {
  const hasRegex = [...sources].some((source) => splitRegex(toBody(source)) !== undefined);
  const engine = hasRegex ? await import("./regex.js") : undefined;
  return (source) => {
    const body = toBody(source);
    const negated = body !== source;
    const regex = splitRegex(body);
    if (regex === undefined) {
      const { pairs, test } = compileGlob(body);
      return { source, negated, pairs, test: (subject) => (pairs & ~subject.pairs) === 0 && test(subject.folded) };
    }
    if (engine === undefined) throw new TypeError(`The compiler was not opened for ${source}.`);
    const { test } = engine.compileRegex(regex.source, regex.flags);
    return { source, negated, pairs: 0, test: (subject) => test(subject.written) };
  };
}

function toBody(source: string): string {
  return source.startsWith("!") ? source.slice(1) : source;
}

/** The two parts of `/source/flags`, or undefined when the text does not have that form. */
export function splitRegex(text: string): { source: string; flags: string } | undefined {
  const parts = /^\/(?<source>.*)\/(?<flags>[a-z]*)$/isu.exec(text)?.groups;
  return parts === undefined ? undefined : { source: parts.source ?? "", flags: parts.flags ?? "" };
}
