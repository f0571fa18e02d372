import { describeProblem, type Problem } from "../util/document/problem.js";
import type { Candidate } from "./candidate.js";
import type { Merged, Outcome } from "./merge.js";
import type { SourceEntry } from "./options.js";

/** What came of one source, for people. */
export interface SourceReport {
  readonly type: SourceEntry["type"];
  readonly path: string;
  readonly status: "ok" | "missing" | "broken" | "untrusted";
  /** How many of its servers are used. */
  readonly servers: number;
  /** Their names here. */
  readonly names?: readonly string[];
  /** Those that are not used though nothing is wrong with them. */
  readonly skipped?: readonly SkippedServer[];
  readonly message?: string;
}

export interface SkippedServer {
  /** As the source has it. */
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
  return { ...source, status: "untrusted", servers: 0, message: "came with the project and is not trusted" };
}

/** Of a source that was read; how many servers it gives is known when all sources are. */
export function readReport(source: SourceName, problems: readonly Problem[]): SourceReport {
  const message = problems.length === 0 ? {} : { message: problems.map(describeProblem).join("; ") };
  return { ...source, status: "ok", servers: 0, ...message };
}

/** The report with what became of each of the source's servers. */
export function settledReport(
  report: SourceReport,
  candidates: readonly Candidate[],
  outcomes: Merged["outcomes"],
): SourceReport {
  const settled = candidates.flatMap((candidate) => {
    const outcome = outcomes.get(candidate);
    return outcome === undefined ? [] : [{ name: candidate.definition.name, outcome }];
  });
  const names = settled.flatMap(({ outcome }) => ("name" in outcome ? [outcome.name] : []));
  const skipped = settled.flatMap(({ name, outcome }) => toSkipped(name, outcome));
  return {
    ...report,
    servers: names.length,
    ...(names.length === 0 ? {} : { names }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}

function toSkipped(name: string, outcome: Outcome): SkippedServer[] {
  switch (outcome.kind) {
    case "gateway":
      return [{ name, kind: "gateway", reason: "this gateway itself" }];
    case "duplicate":
      return [{ name, kind: "duplicate", reason: `the same as ${outcome.duplicateOf}` }];
    case "disabled":
      return [{ name, kind: "disabled", reason: outcome.reason }];
    case "taken":
    case "renamed":
      return [];
  }
}
