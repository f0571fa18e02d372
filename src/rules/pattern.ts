import { compileGlob } from "./glob.js";
import type { Subject } from "./subject.js";

/** One compiled pattern of a rule. */
export interface Pattern {
  /** The pattern as configured, including a leading `!`. */
  readonly source: string;
  readonly negated: boolean;
  /** Fingerprint bits: `test` is false for every subject that lacks one of them. */
  readonly pairs: number;
  /** Whether the pattern matches, ignoring a leading `!`. The caller applies `negated`. */
  readonly test: (subject: Subject) => boolean;
}

export type CompilePattern = (source: string) => Pattern;

/**
 * Returns a compiler for these patterns. Loads the regex engine only if a pattern needs it, because the engine is
 * large.
 */
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
    if (engine === undefined)
      throw new TypeError(
        `The regex engine is not loaded: ${source} was not among the patterns passed to openPatternCompiler.`,
      );
    const { test } = engine.compileNameRegex(regex.source, regex.flags);
    return { source, negated, pairs: 0, test };
  };
}

function toBody(source: string): string {
  return source.startsWith("!") ? source.slice(1) : source;
}

/** Splits a regex in the form `/source/flags`; undefined if the text does not have that form. */
export function splitRegex(text: string): { source: string; flags: string } | undefined {
  const parts = /^\/(?<source>.*)\/(?<flags>[a-z]*)$/isu.exec(text)?.groups;
  return parts === undefined ? undefined : { source: parts.source ?? "", flags: parts.flags ?? "" };
}
