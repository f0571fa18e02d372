import { DiscoveryError } from "../errors.js";
import type { Problem } from "../util/document/problem.js";

/** Whether a configuration can be used. */
export interface ValidationResult {
  readonly valid: boolean;
  /** All problems. Empty if the configuration is valid. */
  readonly problems: readonly Problem[];
}

/** Runs a check and converts a thrown CONFIGURATION_ERROR into a result. Rethrows every other error. */
export async function toValidationResult(check: () => Promise<unknown>): Promise<ValidationResult> {
  try {
    await check();
    return { valid: true, problems: [] };
  } catch (error) {
    if (!(error instanceof DiscoveryError) || error.code !== "CONFIGURATION_ERROR") throw error;
    const { problems } = error.facts as { readonly problems?: readonly Problem[] };
    return { valid: false, problems: problems ?? [{ file: "", path: "", reason: error.message }] };
  }
}
