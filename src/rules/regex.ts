import { RE2JS } from "re2js";
import { DiscoveryError } from "../errors.js";
import { foldName } from "../util/fold-name.js";
import type { Subject } from "./subject.js";

/**
 * The maximum number of instructions of a compiled regex. Each can cost one step per character, so this bounds the
 * matching time.
 */
const MAX_PROGRAM_SIZE = 600;

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  u: 0,
  g: 0,
  y: 0,
};

/** A compiled regex that matches anywhere in a string, in linear time. */
export interface Regex {
  readonly test: (text: string) => boolean;
}

export function compileRegex(source: string, flags: string): Regex {
  const written = `/${source}/${flags}`;
  if (source === "") throw invalid(written, "is empty");
  const bits = toFlagBits(flags, written);
  if (/(?<!\\)(?:\\\\)*\\k</u.test(source)) throw invalid(written, "uses a backreference, which RE2 does not support");
  const program = compileProgram(source, bits, written);
  if (program.programSize() > MAX_PROGRAM_SIZE)
    throw invalid(written, "is too large after its repetitions are expanded");
  return { test: (text) => program.test(text) };
}

/**
 * Compiles a regex for names. It matches a name if it matches the normal form of the name regardless of case, or the
 * name as the server wrote it. The second comparison keeps the meaning of regexes that depend on the spelling, such as
 * `/[^A-Z]Delete/`; the first one prevents that a server escapes a regex by another spelling.
 */
export function compileNameRegex(source: string, flags: string): { readonly test: (name: Subject) => boolean } {
  const written = compileRegex(source, flags);
  const folded = compileFolded(source, flags.includes("i") ? flags : `${flags}i`);
  const dependsOnCase = !flags.includes("i") && DEPENDS_ON_CASE.test(source);
  return {
    test: (name) =>
      folded.test(name.folded) || ((dependsOnCase || name.written !== name.folded) && written.test(name.written)),
  };
}

/** Whether respecting case can make a regex match more texts: it has a negated class, an escape or inline flags. */
const DEPENDS_ON_CASE = /\[\^|\[:\^|\\[a-zA-Z]|\(\?/u;

/**
 * An escape with its quantifier, a run of letters beyond ASCII, or white space. The run begins with the letter before
 * it, because marks are folded together with their letter.
 */
const ESCAPE_OR_LETTERS = /\\[^][+*?]?|\w?(?:(?![ -~])[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}])+|\s/gu;

/** Compiles a regex whose letters are replaced with their normal forms. White space is not part of a normal form. */
function compileFolded(source: string, flags: string): Regex {
  const folded = source.normalize("NFC").replace(ESCAPE_OR_LETTERS, (found) => {
    if (found.startsWith("\\")) return found[1] === "s" ? "" : found;
    return foldName(found);
  });
  try {
    return compileRegex(folded, flags);
  } catch {
    // The normal form of a range such as `[ÿ-ā]` can be invalid.
    return compileRegex(source, flags);
  }
}

function toFlagBits(flags: string, written: string): number {
  let bits = 0;
  for (const flag of flags) {
    const bit = FLAGS[flag];
    if (bit === undefined) throw invalid(written, `has the unknown flag "${flag}"`);
    bits |= bit;
  }
  return bits;
}

function compileProgram(source: string, flags: number, written: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    throw invalid(written, explainSyntax(source, error), error);
  }
}

function explainSyntax(source: string, error: unknown): string {
  if (/\(\?<?[=!]/u.test(source)) return "uses lookahead or lookbehind, which RE2 does not support";
  if (/\\[1-9]/u.test(source)) return "uses a backreference, which RE2 does not support";
  const message = error instanceof Error ? error.message.replace(/^error parsing regexp: /u, "") : String(error);
  return `is not valid RE2 syntax (${message})`;
}

function invalid(written: string, what: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `The regex ${written} ${what}.`, {
    hint:
      "Rules use RE2 syntax with the flags i, m, s and u: no lookahead, lookbehind or backreferences. " +
      'A glob that starts with "/" is written "\\/…".',
    cause,
  });
}
