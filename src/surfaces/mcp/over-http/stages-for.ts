// Selects the components for an endpoint and an actor: the tools that the actor may see, with the profile of the
// endpoint.
import type { Stages } from "../../../gateway/stages.js";
import type { Actor } from "../../../model/actor.js";
import type { Endpoint } from "./endpoint.js";

/**
 * Returns a function that selects the components. They are undefined if the actor's view does not exist: the actor must
 * not see all servers instead.
 */
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
