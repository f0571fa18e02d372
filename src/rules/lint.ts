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
  /** How many tools no rule decides. */
  readonly undecided: number;
}

/** Rules that do nothing for the given tools. Without any tools nothing can be said, so nothing is. */
export function findIneffectiveRules(rules: CompiledRules, tools: readonly RuledTool[]): RuleWarning[] {
  if (tools.length === 0) return [];
  const effects = observe(rules, tools);
  return rules.rules.flatMap((_, rule) => warn(rules, rule, effects) ?? []);
}

function observe(rules: CompiledRules, tools: readonly RuledTool[]): Effects {
  const effects = {
    applied: new Set<number>(),
    decided: new Set<number>(),
    defeats: new Map<number, Defeat>(),
    undecided: 0,
  };
  const says = (rule: number): boolean | undefined => rules.rules[rule]?.authored.enabled;
  for (const tool of tools) {
    const { applied, decidedBy } = decide(rules, tool);
    if (decidedBy === undefined) effects.undecided += 1;
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
  const sideEffect = describeAllowList(rules, rule, effects);
  if (!effects.applied.has(rule)) {
    return { rule, kind: "matches-nothing", message: `${name} matches no tool${sideEffect}.` };
  }
  if (saysNothing(rules, rule)) {
    return { rule, kind: "never-decides", message: `${name} has no effect: it says neither "enabled" nor "tags".` };
  }
  const defeat = effects.defeats.get(rule);
  if (defeat === undefined || effects.decided.has(rule)) return undefined;
  const message = `${name} never takes effect: for ${defeat.tool}, for example, ${nameRule(rules, defeat.by)} decides first${sideEffect}.`;
  return { rule, kind: "never-decides", message, tool: defeat.tool, defeatedBy: defeat.by };
}

/** A rule that enables nothing can still disable everything else, as long as no other rule that enables takes effect. */
function describeAllowList(rules: CompiledRules, rule: number, { decided, undecided }: Effects): string {
  const enables = (index: number): boolean => rules.rules[index]?.authored.enabled === true;
  if (undecided === 0 || !enables(rule) || [...decided].some(enables)) return "";
  const tools = undecided === 1 ? "1 tool that no rule decides is" : `${undecided} tools that no rule decides are`;
  return `, but it makes the rules an allow-list: ${tools} disabled`;
}

function saysNothing(rules: CompiledRules, rule: number): boolean {
  const authored = rules.rules[rule]?.authored;
  return authored?.enabled === undefined && (authored?.tags ?? []).length === 0;
}
