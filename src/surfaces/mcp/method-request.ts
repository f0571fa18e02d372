import type { Execution } from "../../gateway/execution.js";
import type { CatalogAccess, Configured, ConnectionAccess, Services } from "../../gateway/stages.js";
import {
  createPromptsAndResources,
  type PromptsAndResources,
} from "../../metatools/prompts-and-resources/prompts-and-resources.js";
import type { Profiles } from "../../gateway/profiles.js";
import type { Actor } from "../../model/actor.js";
import type { CallContext } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { decideRules } from "../../rules/decide.js";
import type { BuiltInPrompt } from "../../built-in/prompts.js";

/** A request for prompts, resources or completion, with everything that is needed to handle it. */
export interface MethodRequest {
  readonly params: JsonObject;
  readonly era: "legacy" | "modern";
  readonly context: CallContext;
  readonly stages: Configured & CatalogAccess & Services & Pick<Profiles, "offered">;
  readonly promptsAndResources: PromptsAndResources;
  readonly builtInPrompts: readonly BuiltInPrompt[];
}

/** Returns access to the prompts and resources that the actor may see. */
export function openPromptsAndResources(
  stages: Configured & CatalogAccess & ConnectionAccess & Services & Pick<Execution, "requests">,
  actor: Actor,
): PromptsAndResources {
  const { snapshot, refresh, upstreams, resolveConnection, rules, config, runtime, requests } = stages;
  return createPromptsAndResources({
    actor,
    gate: requests,
    snapshot,
    refresh,
    upstreams,
    target: (server) => resolveConnection(server, actor.id),
    admits: (server) => decideRules(rules, { server, name: "" }).enabled,
    isTransparent: config.mode === "full",
    freshMs: config.cache.enabled ? config.cache.ttl * 1000 : 0,
    timeoutMs: config.execution.timeoutMs,
    log: runtime.log,
  });
}
