import { discover, type DiscoveryOptions, type DiscoveryReport } from "../../discover/discover.js";
import { findRefused } from "../../discover/existing-files.js";
import type { DiscoveryTarget } from "../../discover/target.js";
import { DiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import type { JsonObject } from "../../model/json.js";
import { type DescribeStep, renderHint } from "../../model/next-steps.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { interrupted } from "../../util/interrupted.js";
import type { DiscoverDesk } from "./desk.js";
import { toReportJson } from "./report-json.js";

export type ServerDiscovery =
  | { readonly kind: "report"; readonly report: DiscoveryReport }
  | { readonly kind: "failed"; readonly target: DiscoveryTarget; readonly error: DiscoveryError };

export interface DiscoverServersOptions {
  readonly options: DiscoveryOptions;
  readonly signal: AbortSignal;
  /** Called with the promise of each server's report, for example to show progress. */
  readonly during: (target: DiscoveryTarget, work: Promise<DiscoveryReport>) => Promise<DiscoveryReport>;
  /** Called for each server as soon as its tools were read or it has failed. */
  readonly onResult: (result: ServerDiscovery, index: number) => void;
}

/**
 * Reads the tools of the servers one after the other. With several servers, the failure of one does not stop the
 * others.
 */
export async function discoverServers(
  targets: readonly DiscoveryTarget[],
  { folder, parts }: DiscoverDesk,
  { options, signal, during, onResult }: DiscoverServersOptions,
): Promise<ServerDiscovery[]> {
  const results: ServerDiscovery[] = [];
  const add = (result: ServerDiscovery): void => onResult(result, results.push(result) - 1);
  for (const target of targets) {
    try {
      add({ kind: "report", report: await during(target, discover({ target, folder, options }, parts, signal)) });
    } catch (error) {
      if (signal.aborted) throw interrupted();
      if (targets.length === 1 || !(error instanceof DiscoveryError) || error.code === "CANCELLED") throw error;
      add({ kind: "failed", target, error });
    }
  }
  return results;
}

/** Rejected files that appear in no report, because no server was contacted for them. */
export async function findUnreported(
  results: readonly ServerDiscovery[],
  { folder, parts }: DiscoverDesk,
): Promise<RefusedFile[]> {
  const reported = new Set(
    results.flatMap((result) =>
      result.kind === "report" ? result.report.files.flatMap(({ existing }) => existing?.path ?? []) : [],
    ),
  );
  return (await findRefused(folder, parts)).filter(({ path }) => !reported.has(path));
}

/** The first failure, and whether tool files differ from their servers or are rejected. */
export function assessDiscovery(results: readonly ServerDiscovery[], refused: readonly RefusedFile[]) {
  const [failure] = results.flatMap((result) =>
    result.kind === "failed" ? [result.error] : result.report.files.flatMap((file) => file.failure ?? []),
  );
  const isDrift = refused.length > 0 || results.some((result) => result.kind === "report" && result.report.isDrift);
  return { failure, isDrift };
}

/** Whether a server needs variables that the user has to set. */
export function needsVariables(results: readonly ServerDiscovery[]): boolean {
  return results.some((result) => result.kind === "report" && result.report.needs.length > 0);
}

export function toDiscoveryPage(
  results: readonly ServerDiscovery[],
  refused: readonly RefusedFile[],
  describe: DescribeStep,
): JsonObject {
  const all = results.map((result) =>
    result.kind === "report"
      ? { success: isWhole(result), ...toReportJson(result.report) }
      : { server: result.target.name, ...toErrorObject(result.error, describe) },
  );
  const more = refused.length === 0 ? {} : { drift: true, refused: refused.map((one) => toRefusedPage(one, describe)) };
  return all.length === 1 ? { ...all[0], ...more } : { success: results.every(isWhole), servers: all, ...more };
}

function isWhole(result: ServerDiscovery): boolean {
  return result.kind === "report" && !result.report.files.some(({ done }) => done === "failed");
}

function toRefusedPage({ path, reason, error }: RefusedFile, describe: DescribeStep): JsonObject {
  const hint = renderHint(error.nextSteps, describe);
  return { file: path, reason, message: error.message, ...(hint === undefined ? {} : { hint }) };
}
