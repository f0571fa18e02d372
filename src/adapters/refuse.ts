import { DiscoveryError } from "../errors.js";
import type { Hint } from "../model/next-steps.js";

/**
 * The error for an operation that is dropped. `reason` is a predicate that continues a sentence after the operation's
 * name.
 */
export function unsupportedOperation(reason: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", reason);
}

/** The error for an API document that is rejected as a whole. */
export function refuseDocument(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", message, { hint });
}

/**
 * Converts one operation; returns the reason if it throws. An unexpected exception is caught too, so that a bug affects
 * only this operation.
 */
export function attempt<Result>(work: () => Result): Result | { readonly refusal: string } {
  try {
    return work();
  } catch (error) {
    return {
      refusal: error instanceof DiscoveryError ? error.message : "could not be converted because of an internal error",
    };
  }
}
