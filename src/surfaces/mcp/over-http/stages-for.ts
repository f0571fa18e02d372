// An endpoint and an actor come in; the stages that serve them go out: what the actor may see, as the endpoint offers it.
import type { Stages } from "../../../compose.js";
import type { Actor } from "../../../model/actor.js";
import type { Endpoint } from "./endpoint.js";

/** Undefined where the actor's view is not there: never everything. */
export function createStagesFor(
  current: () => Promise<Stages>,
): (endpoint: Endpoint, actor: Actor) => Promise<Stages | undefined> {
  return async ({ kind }, { view }) => {
    const stages = await current();
    if (view !== undefined && !Object.hasOwn(stages.config.policy.views, view)) return undefined;
    return await stages.narrow({ view, ...(kind === "gateway" ? GATEWAY : {}) });
  };
}

const GATEWAY = { profile: "gateway", mode: "lazy" } as const;
