import { averageScores } from "../../src/search/evaluate.js";
import type { SearchReport } from "../../src/operations/evaluation/measure.js";

/** `abstainedRemoved`: the share of queries that no tool fits when their relevant tools are hidden. */
export type MacroReport = SearchReport & { readonly abstainedRemoved?: number };

/** The mean of the reports of several sets, with equal weights; abstention over the sets that have it. `queries` is the sum. */
export function averageReports(reports: readonly MacroReport[]): MacroReport {
  const mean = (read: (report: MacroReport) => number | undefined): number | undefined => {
    const values = reports.map(read).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const abstained = mean((report) => report.abstained);
  const abstainedRemoved = mean((report) => report.abstainedRemoved);
  return {
    queries: reports.reduce((sum, { queries }) => sum + queries, 0),
    ...averageScores(reports),
    tokens: { median: mean(({ tokens }) => tokens.median) ?? 0, p95: mean(({ tokens }) => tokens.p95) ?? 0 },
    latencyMs: {
      median: mean(({ latencyMs }) => latencyMs.median) ?? 0,
      p95: mean(({ latencyMs }) => latencyMs.p95) ?? 0,
      max: mean(({ latencyMs }) => latencyMs.max) ?? 0,
    },
    ...(abstained === undefined ? {} : { abstained }),
    ...(abstainedRemoved === undefined ? {} : { abstainedRemoved }),
  };
}
