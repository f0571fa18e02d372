import { invalidRequest } from "../../util/invalid-request.js";

/** Limits the work of one evaluation, because the expression comes from a caller and the data from a server. */
export interface JmesSteps {
  /** Counts steps and throws a `DiscoveryError` above the limit. */
  spend(steps: number): void;
  /** As `spend`, and returns whether the caller must yield now. */
  isPauseDue(steps: number): boolean;
}

/** About half a second. */
export const MAX_STEPS = 4_000_000;
const STEPS_PER_SLICE = 4000;

export function createSteps(limit = MAX_STEPS): JmesSteps {
  let left = limit;
  let slice = STEPS_PER_SLICE;
  const spend = (steps: number): void => {
    left -= steps;
    slice -= steps;
    if (left >= 0) return;
    throw invalidRequest(
      `The selection was stopped after ${limit.toLocaleString("en-US")} steps.`,
      "Select a smaller part first, for example items[0:1000] instead of items[*], or use fewer nested projections.",
    );
  };
  return {
    spend,
    isPauseDue(steps) {
      spend(steps);
      if (slice > 0) return false;
      slice = STEPS_PER_SLICE;
      return true;
    },
  };
}
