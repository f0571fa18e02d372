// Calls of the built-in tools that send something to a host that nobody configured. The URL, the headers and the
// parameters come from an agent and may contain anything that the agent has read, so a user has to see and confirm each
// such call, in every confirmation mode.
import { isJsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { PERSON_MEMBER } from "../policy/policy.js";
import type { ToolFilesOptions } from "../toolfiles/options.js";
import { hostOf, isConfiguredHost, urlIn } from "./admission.js";

const toConfirm = new WeakMap<Tool, Tool>();
const outgoing = new WeakSet<Tool>();

/**
 * Returns the tool as the policy must judge it for a call with these arguments: a user has to confirm a call that sends
 * something to a host that is not configured. The arguments may be invalid; such a call fails without a question.
 */
export function toJudgedTool(tool: Tool, args: unknown, agents: ToolFilesOptions["agents"]): Tool {
  const url = isJsonObject(args) ? findUrl(args, agents) : undefined;
  return url === undefined || isConfiguredHost(url, agents) ? tool : toConfirmedTool(tool);
}

/** What the user has to know about the call; undefined for a call that sends nothing to an unknown host. */
export function describeOutgoing(tool: Tool, { url }: { readonly [name: string]: unknown }): string | undefined {
  if (!outgoing.has(tool) || typeof url !== "string" || !URL.canParse(url)) return undefined;
  return `This sends everything below to ${hostOf(new URL(url))}, a host that nobody has configured.`;
}

function toConfirmedTool(tool: Tool): Tool {
  const known = toConfirm.get(tool);
  if (known !== undefined) return known;
  const { definition } = tool;
  const meta = definition["_meta"];
  const confirmed: Tool = {
    ...tool,
    definition: {
      ...definition,
      annotations: { ...definition.annotations, readOnlyHint: false, destructiveHint: true },
      _meta: { ...(isJsonObject(meta) ? meta : {}), [PERSON_MEMBER]: true },
    },
  };
  toConfirm.set(tool, confirmed);
  outgoing.add(confirmed);
  return confirmed;
}

function findUrl(args: Parameters<typeof urlIn>[0], agents: ToolFilesOptions["agents"]): URL | undefined {
  try {
    return urlIn(args, agents);
  } catch {
    return undefined;
  }
}
