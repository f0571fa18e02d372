import { RE2JS } from "re2js";
import { DiscoveryError } from "../errors.js";

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
