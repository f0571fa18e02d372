import { toolId } from "../model/tool.js";
import type { CompiledRules } from "./compile.js";
import { type RuleSubject, decideRules } from "./decide.js";
import { nameRule } from "./explain.js";

/** A warning about a rule that has no effect, which is probably a mistake. */
export interface RuleWarning {
  /** The index of the rule, counted from 0. */
  readonly rule: number;
  readonly kind: "matches-nothing" | "never-decides";
  readonly message: string;
  /** The id of a tool that the rule matches, as an example. */
  readonly tool?: string;
  /** The index of the earlier rule that decides instead. */
  readonly defeatedBy?: number;
}

interface Override {
  readonly tool: string;
  readonly by: number;
  /** Whether the earlier rule decides the opposite. Such a tool is the better example for a warning. */
  readonly opposed: boolean;
}

interface Effects {
  readonly applied: ReadonlySet<number>;
  readonly decided: ReadonlySet<number>;
  readonly overrides: ReadonlyMap<number, Override>;
  /** The number of tools that no rule decides. */
  readonly undecided: number;
}

/** Finds rules that have no effect on these tools. Returns nothing if there are no tools. */
export function findIneffectiveRules(rules: CompiledRules, tools: readonly RuleSubject[]): RuleWarning[] {
  if (tools.length === 0) return [];
  const effects = observe(rules, tools);
  return rules.rules.flatMap((_, rule) => warn(rules, rule, effects) ?? []);
}

function observe(rules: CompiledRules, tools: readonly RuleSubject[]): Effects {
  const effects = {
    applied: new Set<number>(),
    decided: new Set<number>(),
    overrides: new Map<number, Override>(),
    undecided: 0,
  };
  const enabledOf = (rule: number): boolean | undefined => rules.rules[rule]?.authored.enabled;
  for (const tool of tools) {
    const { applied, decidedBy } = decideRules(rules, tool);
    if (decidedBy === undefined) effects.undecided += 1;
    for (const rule of applied) {
      effects.applied.add(rule);
      if (enabledOf(rule) === undefined || decidedBy === undefined) continue;
      if (rule === decidedBy) effects.decided.add(rule);
      else if (effects.overrides.get(rule)?.opposed !== true) {
        const opposed = enabledOf(rule) !== enabledOf(decidedBy);
        if (opposed || !effects.overrides.has(rule)) {
          effects.overrides.set(rule, { tool: toolId(tool.server, tool.name), by: decidedBy, opposed });
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
  if (setsNothing(rules, rule)) {
    return { rule, kind: "never-decides", message: `${name} has no effect: it sets neither "enabled" nor "tags".` };
  }
  const override = effects.overrides.get(rule);
  if (override === undefined || effects.decided.has(rule)) return undefined;
  const message = `${name} never takes effect: for ${override.tool}, for example, ${nameRule(rules, override.by)} decides first${sideEffect}.`;
  return { rule, kind: "never-decides", message, tool: override.tool, defeatedBy: override.by };
}

/**
 * Describes the side effect of an ineffective rule with `enabled: true`: it still disables every tool that no rule
 * decides, unless another such rule is effective.
 */
function describeAllowList(rules: CompiledRules, rule: number, { decided, undecided }: Effects): string {
  const enables = (index: number): boolean => rules.rules[index]?.authored.enabled === true;
  if (undecided === 0 || !enables(rule) || [...decided].some(enables)) return "";
  const tools = undecided === 1 ? "1 tool that no rule decides is" : `${undecided} tools that no rule decides are`;
  return `, but it makes the rules an allow-list: ${tools} disabled`;
}

function setsNothing(rules: CompiledRules, rule: number): boolean {
  const authored = rules.rules[rule]?.authored;
  return authored?.enabled === undefined && (authored?.tags ?? []).length === 0;
}
