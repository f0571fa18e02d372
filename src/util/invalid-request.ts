import { DiscoveryError } from "../errors.js";
import type { Hint } from "../model/next-steps.js";

export function invalidRequest(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
