import type { CompiledRules } from "./compile.js";
import type { RuleDecision } from "./decide.js";
import type { NormalizedToolRule } from "./options.js";

/** Explains a decision in one line: which rule decided, or why none did. */
export function explain(rules: CompiledRules, decision: RuleDecision): string {
  if (decision.decidedBy !== undefined) return nameRule(rules, decision.decidedBy);
  if (rules.allowList === undefined) return "no rule decides; enabled by default";
  return `no rule decides; disabled because rule ${rules.allowList + 1} makes the rules an allow-list`;
}

/** A rule with its number, counted from 1: `rule 2 (*delete* → disabled)`. */
export function nameRule(rules: CompiledRules, index: number): string {
  const rule = rules.rules[index];
  return rule === undefined ? `rule ${index + 1}` : `rule ${index + 1} (${describeRule(rule.authored)})`;
}

/** A rule as text: `*github*, /issue/ → enabled, tags: [github, issues]`. */
export function describeRule(rule: NormalizedToolRule): string {
  const effects: string[] = [];
  if (rule.enabled !== undefined) effects.push(rule.enabled ? "enabled" : "disabled");
  if (rule.tags !== undefined && rule.tags.length > 0) effects.push(`tags: [${rule.tags.join(", ")}]`);
  const scope = rule.server === undefined ? "" : `server ${rule.server}: `;
  return `${scope}${rule.pattern.join(", ")} → ${effects.length > 0 ? effects.join(", ") : "nothing"}`;
}
