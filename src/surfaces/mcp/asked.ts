import type { Stages } from "../../compose.js";
import { createOfferings, type Offerings } from "../../metatools/offerings/offerings.js";
import type { Actor } from "../../model/actor.js";
import type { CallerPeer } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { decide } from "../../rules/decide.js";
import type { OwnPrompt } from "./own-prompts.js";

/** One request for something beside tools, with where its answer comes from. */
export interface Asked {
  readonly params: JsonObject;
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  readonly signal?: AbortSignal;
  /** Whom a server may ask something before it answers. */
  readonly peer?: CallerPeer | undefined;
  readonly stages: Stages;
  readonly offerings: Offerings;
  readonly ownPrompts: readonly OwnPrompt[];
}

/** What the servers have for this caller, who may see these stages. */
export function openOfferings(stages: Stages, actor: Actor): Offerings {
  const { snapshot, refresh, upstreams, target, rules, config, place } = stages;
  return createOfferings({
    actorId: actor.id,
    snapshot,
    refresh,
    upstreams,
    target: (server) => target(server, actor.id),
    admits: (server) => decide(rules, { server, name: "" }).enabled,
    isTransparent: config.mode === "full",
    freshMs: config.cache.enabled ? config.cache.ttl * 1000 : 0,
    timeoutMs: config.execution.timeoutMs,
    log: place.log,
  });
}
