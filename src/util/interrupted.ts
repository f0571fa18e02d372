import { DiscoveryError } from "../errors.js";

/** The error if an operation's signal was aborted. */
export function interrupted(): DiscoveryError {
  return new DiscoveryError("CANCELLED", "The command was interrupted.");
}
