import { DiscoveryError } from "../errors.js";

/** The error of an operation whose signal was aborted. */
export function interrupted(): DiscoveryError {
  return new DiscoveryError("CANCELLED", "The command was interrupted.");
}
