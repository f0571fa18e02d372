// Applies the tool rules to a tool. The decision depends only on the names of the server and the tool.
import { toolId } from "../model/tool.js";
import type { CompiledRule, CompiledRules } from "./compile.js";
import type { Pattern } from "./pattern.js";
import { type Subject, fingerprint, toSubject } from "./subject.js";

/** What the tool rules decide about one tool. Rules are numbered from 0. */
export interface RuleDecision {
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** The index of the rule that decided; undefined if no rule did. */
  readonly decidedBy: number | undefined;
  /** The indexes of all rules that match the tool. */
  readonly applied: readonly number[];
}

export interface RuleSubject {
  readonly server: string;
  readonly name: string;
}

interface Subjects {
  readonly server: Subject;
  readonly name: Subject;
  readonly id: Subject;
}

export function decideRules(rules: CompiledRules, tool: RuleSubject): RuleDecision {
  const subjects = toSubjects(tool);
  const tags = new Set<string>();
  let decidedBy: number | undefined;
  const applied = findApplying(rules, subjects);
  for (const index of applied) {
    const authored = rules.rules[index]?.authored;
    for (const tag of authored?.tags ?? []) tags.add(tag);
    if (authored?.enabled !== undefined) decidedBy ??= index;
  }
  const decided = decidedBy === undefined ? undefined : rules.rules[decidedBy]?.authored.enabled;
  return { enabled: decided ?? rules.allowList === undefined, tags: [...tags], decidedBy, applied };
}

function toSubjects(tool: RuleSubject): Subjects {
  const server = toSubject(tool.server);
  const name = toSubject(tool.name);
  const folded = toolId(server.folded, name.folded);
  return { server, name, id: { written: toolId(tool.server, tool.name), folded, pairs: fingerprint(folded) } };
}

function findApplying({ rules, pairs }: CompiledRules, subjects: Subjects): number[] {
  const applied: number[] = [];
  const absent = ~subjects.id.pairs;
  for (let index = 0; index < pairs.length; index += 1) {
    if (((pairs[index] ?? 0) & absent) !== 0) continue;
    const rule = rules[index];
    if (rule !== undefined && applies(rule, subjects)) applied.push(index);
  }
  return applied;
}

function applies(rule: CompiledRule, { server, name, id }: Subjects): boolean {
  if (rule.server !== undefined && !rule.server(server)) return false;
  const fits =
    rule.server === undefined
      ? (pattern: Pattern) => pattern.test(name) || pattern.test(id)
      : (pattern: Pattern) => pattern.test(name);
  return (rule.including.length === 0 || rule.including.some(fits)) && !rule.excluding.some(fits);
}
