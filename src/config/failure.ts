import { DiscoveryError } from "../errors.js";
import { describeInFile, describeProblem, type Problem } from "../util/document/problem.js";

const MAX_IN_MESSAGE = 5;

/** One CONFIGURATION_ERROR that lists all problems, sorted by their position in the file. */
export function toError(found: readonly Problem[]): DiscoveryError {
  const problems = [...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const [first] = problems;
  const file = first?.file ?? "The configuration";
  const listed = problems.slice(0, MAX_IN_MESSAGE).map(describeInFile).join("; ");
  const more = problems.length > MAX_IN_MESSAGE ? `; and ${problems.length - MAX_IN_MESSAGE} more` : "";
  const message =
    first !== undefined && problems.length === 1
      ? describeProblem(first)
      : `${file} has ${problems.length} problems: ${listed}${more}`;
  return new DiscoveryError("CONFIGURATION_ERROR", message.endsWith("?") ? message : `${message}.`, {
    hint: "Correct the configuration; docs/reference/configuration.md lists every key.",
    facts: { problems },
  });
}

export function missingFile(file: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `${file} does not exist.`, {
    hint: "Check the path of the configuration file, in --config or in the environment variable ANYGPT_CONFIG.",
    facts: { problems: [{ file, path: "", reason: "does not exist" }] },
  });
}
