// Describes tools with the rules and the policy that apply to them.
import type { ToolChange } from "../../catalog/record.js";
import type { Stages } from "../../gateway/stages.js";
import { describeTool } from "../../metatools/describe-tool.js";
import { metaToolData } from "../../metatools/meta-tool.js";
import { localActor } from "../../model/actor.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { type AssessedRisk, isAtLeast } from "../../policy/risk.js";
import type { Ruling } from "../../policy/ruling.js";
import { decideRules } from "../../rules/decide.js";
import { explain } from "../../rules/explain.js";

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

export function toToolJson({ tool, changes, disabledBy, ruling, isToBeConfirmed }: ToolPage): JsonObject {
  const { risk, scopes, bucket, key } = ruling;
  return {
    ...describeTool(tool),
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

/** The rule that enables or disables a tool, and its risk. */
export interface ToolExplanation {
  readonly rule: string;
  readonly risk: AssessedRisk;
}

export function explainTool(tool: Tool, { rules, policy }: Stages): ToolExplanation {
  return { rule: explain(rules, decideRules(rules, tool)), risk: policy.ruling(tool).risk };
}

/** The result of the meta-tool `list_tools`; with `isExplained`, each tool also has its rule and risk. */
export async function listToolsJson(
  server: string,
  stages: Stages,
  { includeDisabled, isExplained }: { readonly includeDisabled: boolean; readonly isExplained: boolean },
): Promise<JsonObject> {
  const context = { actor: localActor("cli") };
  const data = await metaToolData(stages.metaTools, "list_tools", { server, includeDisabled }, context);
  if (!isExplained || !Array.isArray(data["tools"])) return data;
  const byName = new Map(
    stages
      .snapshot()
      .servers.get(server)
      ?.tools.map((tool) => [tool.name, tool]),
  );
  const tools = data["tools"].filter(isJsonObject).map((one) => {
    const tool = byName.get(String(one["name"]));
    if (tool === undefined) return one;
    const { rule, risk } = explainTool(tool, stages);
    return { ...one, rule, risk: risk.risk, risk_origin: risk.origin.detail };
  });
  return { ...data, tools };
}
