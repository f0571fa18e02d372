import { DiscoveryError } from "../../errors.js";

/** An argument that is valid by its schema but cannot be sent in a request. Nothing was sent. */
export function wrongArgument(argument: string, what: string, hint?: string): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The argument "${argument}" ${what}.`, {
    hint: hint ?? `Correct "${argument}" and call again; nothing was sent.`,
    facts: { argument },
  });
}
