import { DiscoveryError } from "../errors.js";
import type { Hint } from "../model/next-steps.js";

/** The reason why an operation is dropped. It is a predicate that follows the operation's name. */
export function unsupportedOperation(reason: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", reason);
}

/** The reason why a whole document is rejected. */
export function refuseDocument(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", message, { hint });
}

/**
 * Runs a function that may reject an operation. A defect of the gateway in one operation must not affect the others
 * either.
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
