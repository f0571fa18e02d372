import { DiscoveryError } from "../errors.js";
import { compileGlob } from "./glob.js";
import type { NormalizedToolRule } from "./options.js";
import { openPatternCompiler, type Pattern } from "./pattern.js";
import type { Subject } from "./subject.js";

const PROBLEMS_IN_MESSAGE = 10;

export interface CompiledRule {
  readonly authored: NormalizedToolRule;
  readonly server: ServerTest | undefined;
  readonly including: readonly Pattern[];
  readonly excluding: readonly Pattern[];
}

type ServerTest = (server: Subject) => boolean;

/** The compiled entries of `toolRules`, in the order of evaluation. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** For each rule, fingerprint bits that the id of every matching tool has (see `fingerprint`). */
  readonly pairs: Int32Array;
  /** The index of the first rule with `enabled: true`. If there is one, tools that no rule decides are disabled. */
  readonly allowList: number | undefined;
}

interface RuleProblem {
  /** The number of the rule, counted from 1. */
  readonly rule: number;
  readonly pattern: string;
  readonly reason: string;
}

/**
 * Compiles the tool rules. If one pattern is invalid, all rules are rejected: skipping an invalid deny rule would
 * enable the tools that it is meant to disable.
 */
export async function compileRules(rules: readonly NormalizedToolRule[]): Promise<CompiledRules> {
  const compilePattern = await openPatternCompiler(rules.flatMap(({ pattern }) => pattern));
  const problems: RuleProblem[] = [];
  const pairs = new Int32Array(rules.length);
  const compiled = rules.map((authored, index): CompiledRule => {
    const attempt = <T>(pattern: string, compile: (pattern: string) => T): T | undefined => {
      try {
        return compile(pattern);
      } catch (error) {
        if (!(error instanceof DiscoveryError)) throw error;
        problems.push({ rule: index + 1, pattern, reason: error.message });
        return undefined;
      }
    };
    const patterns = authored.pattern.map((pattern) => attempt(pattern, compilePattern)).filter((pattern) => !!pattern);
    const including = patterns.filter((pattern) => !pattern.negated);
    const glob = authored.server === undefined ? undefined : attempt(authored.server, compileGlob);
    pairs[index] = (glob?.pairs ?? 0) | commonPairs(including);
    return {
      authored,
      server: glob && ((server) => server.written === authored.server || glob.test(server.folded)),
      including,
      excluding: patterns.filter((pattern) => pattern.negated),
    };
  });
  if (problems.length > 0) throw toError(problems);
  const allowList = rules.findIndex((rule) => rule.enabled === true);
  return { rules: compiled, pairs, allowList: allowList === -1 ? undefined : allowList };
}

function commonPairs(patterns: readonly Pattern[]): number {
  return patterns.length === 0 ? 0 : patterns.reduce((bits, pattern) => bits & pattern.pairs, -1);
}

function toError(problems: readonly RuleProblem[]): DiscoveryError {
  const shown = problems
    .slice(0, PROBLEMS_IN_MESSAGE)
    .map(({ rule, reason }) => `rule ${rule}: ${reason.slice(0, -1)}`);
  const left = problems.length - shown.length;
  const list = left > 0 ? [...shown, `and ${left} more`] : shown;
  const subject = problems.length === 1 ? "A pattern of toolRules is" : `${problems.length} patterns of toolRules are`;
  return new DiscoveryError("CONFIGURATION_ERROR", `${subject} invalid: ${list.join("; ")}.`, {
    hint: 'Correct the patterns. Globs support "*", "?", "[abc]" and "{a,b}"; regexes are written /…/flags in RE2 syntax.',
    facts: { problems },
  });
}
