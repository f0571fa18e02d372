// Checks that run right before a call is sent: the configuration or the tool may have changed while the call waited.
import { assertNotQuarantined } from "../catalog/quarantine.js";
import { DiscoveryError } from "../errors.js";
import type { Tool } from "../model/tool.js";
import type { CompiledRules } from "../rules/compile.js";
import { decideRules } from "../rules/decide.js";
import { explain } from "../rules/explain.js";

/** Throws if the tool rules disable the tool, including rules that were added while the call waited. */
export function assertEnabled(tool: Tool, rules: CompiledRules): void {
  const decision = decideRules(rules, tool);
  if (decision.enabled) return;
  throw new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${explain(rules, decision)}.`, {
    hint: "The configuration changed while the call waited. Use another tool.",
  });
}

/**
 * Throws if the tool's definition changed while the call waited: the policy and the user permitted the old definition.
 */
export function assertUnchanged(tool: Tool, known: Tool | undefined): void {
  if (known === undefined || known === tool) return;
  assertNotQuarantined(known);
  if (known.hash === tool.hash) return;
  throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The definition of ${tool.id} changed while the call waited.`, {
    hint: [
      { action: "inspect", server: tool.server, tool: tool.name },
      "Repeat the call if the new definition still suits your purpose.",
    ],
  });
}
