import type { DiscoveryError } from "../../errors.js";
import { isJsonObject } from "../../model/json.js";
import { describeProblem, type Problem } from "../../util/document/problem.js";

/** All problems of a configuration; the error message names only the first ones. */
export function describeProblems({ facts }: DiscoveryError): string[] {
  const { problems } = facts;
  if (!Array.isArray(problems)) return [];
  return problems
    .filter(isJsonObject)
    .map((problem) =>
      "rule" in problem
        ? `toolRules[${Number(problem["rule"]) - 1}]: ${String(problem["pattern"])}: ${String(problem["reason"])}`
        : describeProblem(problem as unknown as Problem),
    );
}
