import { DiscoveryError } from "../errors.js";

/** Why one operation is left out; the reason reads after its name. */
export function refuse(reason: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", reason);
}

/** Why a document as a whole cannot be used. */
export function refuseDocument(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", message, { hint });
}

/** Runs what may refuse. A defect of ours in one operation must not cost the others either. */
export function attempt<Result>(work: () => Result): Result | { readonly refusal: string } {
  try {
    return work();
  } catch (error) {
    return { refusal: error instanceof DiscoveryError ? error.message : "could not be understood" };
  }
}
