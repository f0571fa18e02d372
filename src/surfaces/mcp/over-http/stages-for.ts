// Selects the stages for an endpoint and an actor: what the actor may see, with the profile of the endpoint.
import type { Stages } from "../../../gateway/stages.js";
import type { Actor } from "../../../model/actor.js";
import type { Endpoint } from "./endpoint.js";

/** Undefined if the actor's view does not exist. It must not fall back to all servers. */
export function createStagesFor(
  current: () => Promise<Stages>,
): (endpoint: Endpoint, actor: Actor) => Promise<Stages | undefined> {
  return async ({ kind }, { view }) => {
    const stages = await current();
    if (view !== undefined && !Object.hasOwn(stages.config.policy.views, view)) return undefined;
    return await stages.scopedView({ view, ...(kind === "gateway" ? GATEWAY : {}) });
  };
}

const GATEWAY = { profile: "gateway", mode: "lazy" } as const;
