import type { ToolFilter } from "./imported.js";

/** A rule in the format of the configuration section `toolRules`. */
export interface FilterRule {
  readonly server: string;
  readonly pattern: string[];
  readonly enabled: false;
}

/**
 * Converts another program's tool filter to rules. The rules only disable tools: as soon as one rule enables tools,
 * every tool that no rule matches is disabled.
 */
export function toToolRules(server: string, { allow, deny = [] }: ToolFilter): FilterRule[] {
  const rule = (pattern: string[]): FilterRule => ({ server, pattern, enabled: false });
  const denied = deny.map(literal).filter(isPossible);
  const rules: FilterRule[] = [];
  for (let at = 0; at < denied.length; at += MAX_PATTERNS) rules.push(rule(denied.slice(at, at + MAX_PATTERNS)));
  if (allow === undefined) return rules;
  const exceptions = allow.map((name) => `!${literal(name)}`).filter(isPossible);
  return [...rules, rule(["*", ...exceptions.slice(0, MAX_PATTERNS - 1)])];
}

/**
 * The maximum number of patterns in one rule and, below, the maximum length of a pattern. Tools that another program
 * allows beyond these limits stay hidden.
 */
const MAX_PATTERNS = 1_000;
const MAX_PATTERN_LENGTH = 512;

function isPossible(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH;
}

/** Returns a glob pattern that matches only this tool name. */
function literal(name: string): string {
  return name.replace(/[*?[\]{}\\!/]/g, "\\$&");
}
