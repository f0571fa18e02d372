import { toolId } from "../model/tool.js";
import type { CompiledRules } from "./compile.js";
import { type RuledTool, decide } from "./decide.js";
import { nameRule } from "./explain.js";

/** A rule that has no effect, which is seldom what its author meant. */
export interface RuleWarning {
  /** Counted from 0. */
  readonly rule: number;
  readonly kind: "matches-nothing" | "never-decides";
  readonly message: string;
  /** Id of a tool the rule was meant for. */
  readonly tool?: string;
  /** The earlier rule that decides in its place. */
  readonly defeatedBy?: number;
}

interface Defeat {
  readonly tool: string;
  readonly by: number;
  /** Whether the earlier rule says the opposite: the more telling example. */
  readonly opposed: boolean;
}

interface Effects {
  readonly applied: ReadonlySet<number>;
  readonly decided: ReadonlySet<number>;
  readonly defeats: ReadonlyMap<number, Defeat>;
}

/** Rules that do nothing for the given tools. Without any tools nothing can be said, so nothing is. */
export function findIneffectiveRules(rules: CompiledRules, tools: readonly RuledTool[]): RuleWarning[] {
  if (tools.length === 0) return [];
  const effects = observe(rules, tools);
  return rules.rules.flatMap((_, rule) => warn(rules, rule, effects) ?? []);
}

function observe(rules: CompiledRules, tools: readonly RuledTool[]): Effects {
  const effects = { applied: new Set<number>(), decided: new Set<number>(), defeats: new Map<number, Defeat>() };
  const says = (rule: number): boolean | undefined => rules.rules[rule]?.authored.enabled;
  for (const tool of tools) {
    const { applied, decidedBy } = decide(rules, tool);
    for (const rule of applied) {
      effects.applied.add(rule);
      if (says(rule) === undefined || decidedBy === undefined) continue;
      if (rule === decidedBy) effects.decided.add(rule);
      else if (effects.defeats.get(rule)?.opposed !== true) {
        const opposed = says(rule) !== says(decidedBy);
        if (opposed || !effects.defeats.has(rule)) {
          effects.defeats.set(rule, { tool: toolId(tool.server, tool.name), by: decidedBy, opposed });
        }
      }
    }
  }
  return effects;
}

function warn(rules: CompiledRules, rule: number, effects: Effects): RuleWarning | undefined {
  const name = nameRule(rules, rule).replace(/^r/u, "R");
  if (!effects.applied.has(rule)) return { rule, kind: "matches-nothing", message: `${name} matches no tool.` };
  if (saysNothing(rules, rule)) {
    return { rule, kind: "never-decides", message: `${name} has no effect: it says neither "enabled" nor "tags".` };
  }
  const defeat = effects.defeats.get(rule);
  if (defeat === undefined || effects.decided.has(rule)) return undefined;
  const message = `${name} never takes effect: for ${defeat.tool}, for example, ${nameRule(rules, defeat.by)} decides first.`;
  return { rule, kind: "never-decides", message, tool: defeat.tool, defeatedBy: defeat.by };
}

function saysNothing(rules: CompiledRules, rule: number): boolean {
  const authored = rules.rules[rule]?.authored;
  return authored?.enabled === undefined && (authored?.tags ?? []).length === 0;
}
