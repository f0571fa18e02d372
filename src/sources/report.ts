import { describeProblem, type Problem } from "../util/document/problem.js";
import type { ServerCandidate } from "./candidate.js";
import type { Merged, MergeOutcome } from "./merge.js";
import type { ClientId } from "./options.js";

/** The result of reading one source, for display. */
export interface SourceReport {
  readonly type: "custom" | ClientId;
  readonly path: string;
  readonly status: "ok" | "missing" | "broken" | "untrusted";
  /** The number of the source's servers that are used. */
  readonly servers: number;
  /** The names of the used servers in this gateway. */
  readonly names?: readonly string[];
  /** Servers of the source that are not used although they are valid. */
  readonly skipped?: readonly SkippedServer[];
  readonly message?: string;
}

/** A server that is not used, with the reason. */
export interface SkippedServer {
  /** The name in the source. */
  readonly name: string;
  readonly kind: "gateway" | "duplicate" | "disabled";
  readonly reason: string;
}

export type SourceName = Pick<SourceReport, "type" | "path">;

export function missingReport(source: SourceName): SourceReport {
  return { ...source, status: "missing", servers: 0, message: "not found" };
}

export function brokenReport(source: SourceName, message: string): SourceReport {
  return { ...source, status: "broken", servers: 0, message };
}

export function untrustedReport(source: SourceName): SourceReport {
  return { ...source, status: "untrusted", servers: 0, message: "is in the project folder and is not trusted" };
}

/** Creates the report of a source that was read. Its number of servers is added after all sources are merged. */
export function readReport(source: SourceName, problems: readonly Problem[]): SourceReport {
  const message = problems.length === 0 ? {} : { message: problems.map(describeProblem).join("; ") };
  return { ...source, status: "ok", servers: 0, ...message };
}

/** Adds the outcome of each of the source's servers to the report. */
export function settledReport(
  report: SourceReport,
  candidates: readonly ServerCandidate[],
  outcomes: Merged["outcomes"],
): SourceReport {
  const withOutcome = candidates.flatMap((candidate) => {
    const outcome = outcomes.get(candidate);
    return outcome === undefined ? [] : [{ name: candidate.definition.name, outcome }];
  });
  const names = withOutcome.flatMap(({ outcome }) => ("name" in outcome ? [outcome.name] : []));
  const skipped = withOutcome.flatMap(({ name, outcome }) => toSkipped(name, outcome));
  return {
    ...report,
    servers: names.length,
    ...(names.length === 0 ? {} : { names }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}

function toSkipped(name: string, outcome: MergeOutcome): SkippedServer[] {
  switch (outcome.kind) {
    case "gateway":
      return [{ name, kind: "gateway", reason: "this gateway itself" }];
    case "duplicate":
      return [{ name, kind: "duplicate", reason: `the same connection as ${outcome.duplicateOf}` }];
    case "disabled":
      return [{ name, kind: "disabled", reason: outcome.reason }];
    case "taken":
    case "renamed":
      return [];
  }
}
