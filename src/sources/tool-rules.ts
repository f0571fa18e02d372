import type { ToolFilter } from "./imported.js";

/** A rule of the configuration's section `toolRules`, in the form in which the rules take it. */
export interface FilterRule {
  readonly server: string;
  readonly pattern: string[];
  readonly enabled: false;
}

/**
 * What another program hides of a server, as rules. They only ever disable: one rule that enables would disable every tool
 * that no rule decides.
 */
export function toToolRules(server: string, { allow, deny = [] }: ToolFilter): FilterRule[] {
  const rule = (pattern: string[]): FilterRule => ({ server, pattern, enabled: false });
  const denied = deny.map(literal).filter(isPossible);
  const rules: FilterRule[] = [];
  for (let at = 0; at < denied.length; at += MOST_PATTERNS) rules.push(rule(denied.slice(at, at + MOST_PATTERNS)));
  if (allow === undefined) return rules;
  const exceptions = allow.map((name) => `!${literal(name)}`).filter(isPossible);
  return [...rules, rule(["*", ...exceptions.slice(0, MOST_PATTERNS - 1)])];
}

/** What one rule and one pattern can hold; beyond it a tool stays hidden. */
const MOST_PATTERNS = 1_000;
const LONGEST_PATTERN = 512;

function isPossible(pattern: string): boolean {
  return pattern.length <= LONGEST_PATTERN;
}

/** A glob that only the name itself matches. */
function literal(name: string): string {
  return name.replace(/[*?[\]{}\\!/]/g, "\\$&");
}
