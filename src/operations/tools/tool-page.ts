// Describes tools with the rules and the policy that apply to them.
import type { ToolChange } from "../../catalog/record.js";
import type { Stages } from "../../gateway/stages.js";
import { describeTool } from "../../metatools/describe-tool.js";
import { describeCut } from "../../metatools/details-answer.js";
import type { FilteredTools } from "../../metatools/list-tools.js";
import { summaryOf } from "../../metatools/metadata.js";
import type { JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { type AssessedRisk, isAtLeast } from "../../policy/risk.js";
import type { Ruling } from "../../policy/ruling.js";
import { decideRules } from "../../rules/decide.js";
import { explain } from "../../rules/explain.js";
import { foldName, isDisguised, mixesScripts } from "../../util/fold-name.js";

/** One tool with its changes and the decisions about it. */
export interface ToolPage {
  readonly tool: Tool;
  readonly changes: readonly ToolChange[];
  /** The rule that disables the tool. */
  readonly disabledBy?: string;
  /** The policy decision about the tool. */
  readonly ruling: Ruling;
  readonly isToBeConfirmed: boolean;
}

export function inspectTool(tool: Tool, stages: Stages): ToolPage {
  const { policy, snapshot } = stages;
  const ruling = policy.ruling(tool);
  const { confirmation } = policy.options;
  const changes = snapshot().servers.get(tool.server)?.record?.changes ?? [];
  return {
    tool,
    ruling,
    isToBeConfirmed: confirmation.mode !== "never" && isAtLeast(ruling.risk.risk, confirmation.from),
    changes: changes.filter((change) => change.tool === tool.name),
    ...(tool.enabled ? {} : { disabledBy: explainTool(tool, stages).rule }),
  };
}

/** The sentence that tells a user of the CLI how to see what was cut from the details of a tool. */
export const READ_ALL = "Add --full to see everything.";

/** One tool as JSON. With `isFull`, its texts are complete and the raw schema is included. */
export function toToolJson(page: ToolPage, isFull: boolean): JsonObject {
  const { tool, changes, disabledBy, ruling, isToBeConfirmed } = page;
  const { risk, scopes, bucket, key } = ruling;
  const details = describeTool(tool, { isWhole: isFull });
  const cut = isFull ? undefined : describeCut(details, READ_ALL);
  return {
    ...details,
    ...(isFull ? toWholeTexts(tool) : {}),
    ...(cut === undefined ? {} : { cut }),
    enabled: tool.enabled,
    ...(disabledBy === undefined ? {} : { rule: disabledBy }),
    ...(tool.tags.length === 0 ? {} : { tags: tool.tags }),
    risk: risk.risk,
    risk_origin: risk.origin.detail,
    required_scopes: scopes,
    rate_limit_bucket: bucket?.name ?? null,
    idempotent: key.isIdempotent,
    key_sent_as: key.sendAs ?? null,
    confirmation_required: isToBeConfirmed,
    ...(changes.length === 0
      ? {}
      : { changes: changes.map(({ tool: _name, at, ...change }) => ({ at: new Date(at).toISOString(), ...change })) }),
  };
}

/** The description and the schemas of a tool, as the server sent them. */
function toWholeTexts({ definition: { description, inputSchema, outputSchema } }: Tool): JsonObject {
  return {
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** The rule that enables or disables a tool, and its risk. */
export interface ToolExplanation {
  readonly rule: string;
  readonly risk: AssessedRisk;
  /** What is unusual about the spelling of the name, if anything is. */
  readonly spelling?: string;
}

export function explainTool(tool: Tool, { rules, policy }: Stages): ToolExplanation {
  const spelling = describeSpelling(tool.name);
  return {
    rule: explain(rules, decideRules(rules, tool)),
    risk: policy.ruling(tool).risk,
    ...(spelling === undefined ? {} : { spelling }),
  };
}

/** Says that a name is not what it looks like: rules and the policy see its normal form. */
export function describeSpelling(name: string): string | undefined {
  if (isDisguised(name)) return `rules and the policy treat this name as "${foldName(name)}"`;
  return mixesScripts(name) ? "the name mixes Latin letters with letters that look like them" : undefined;
}

/** All tools of a server as JSON, without pages; with `isExplained`, each tool also has its rule and risk. */
export function listToolsJson(
  { server, serverTools, found }: { server: string; serverTools: readonly Tool[]; found: FilteredTools },
  stages: Stages,
  isExplained: boolean,
): JsonObject {
  const tools = found.tools.map((tool) => ({
    name: tool.name,
    summary: summaryOf(tool, undefined, serverTools),
    enabled: tool.enabled,
    ...(tool.tags.length > 0 ? { tags: tool.tags } : {}),
    ...(isExplained ? toExplanationJson(explainTool(tool, stages)) : {}),
  }));
  return { server, tools, ...(found.disabled > 0 ? { disabled: found.disabled } : {}) };
}

function toExplanationJson({ rule, risk, spelling }: ToolExplanation): JsonObject {
  return {
    rule,
    risk: risk.risk,
    risk_origin: risk.origin.detail,
    ...(spelling === undefined ? {} : { spelling }),
  };
}
