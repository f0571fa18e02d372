import { DiscoveryError } from "../../errors.js";
import { describeProblem, type Problem } from "../../util/document/problem.js";
import { toSentence } from "../../util/text.js";

/** Converts problems of sources to an error for `validate`. A running gateway ignores invalid entries of sources. */
export function toSourceFailure(problems: readonly Problem[]): DiscoveryError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  return new DiscoveryError("CONFIGURATION_ERROR", toSentence(describeProblem(first)), {
    hint: "Correct the source. Until then, the gateway ignores the invalid entries.",
    facts: { problems },
  });
}
