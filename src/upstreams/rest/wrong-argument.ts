import { DiscoveryError } from "../../errors.js";

/** An argument that its schema lets pass and that no request can carry. Nothing was sent. */
export function wrongArgument(argument: string, what: string, hint?: string): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The argument "${argument}" ${what}.`, {
    hint: hint ?? `Correct "${argument}" and call again; nothing was sent.`,
    facts: { argument },
  });
}
