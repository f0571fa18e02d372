import type { CatalogServer } from "../catalog/snapshot.js";
import type { PendingServer, StartPhase } from "../catalog/starts.js";
import type { ErrorCode } from "../errors.js";
import { type SearchResult, toSearchResult } from "./metadata.js";
import type { FoundTools } from "./found-tools.js";

/** A server that has not answered for the first time yet. */
export interface StartingServer {
  readonly server: string;
  /** `queued`: it is asked when servers before it have answered or failed. */
  readonly phase: StartPhase;
  /** Milliseconds since it was asked. */
  readonly startingForMs: number;
}

/** A server that could not be asked and whose tools are not known. */
export interface FailedServer {
  readonly server: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Readiness {
  /** Whether every server has answered or failed. */
  readonly ready: boolean;
  readonly pending: readonly StartingServer[];
  readonly failed: readonly FailedServer[];
}

/** What a search found, and which servers it could not look into. */
export interface SearchOutcome {
  readonly results: readonly SearchResult[];
  /** How many more tools fit. */
  readonly more: number;
  /** While this is not empty, an empty result does not mean that there is no such tool. */
  readonly pending: readonly StartingServer[];
  readonly failed: readonly FailedServer[];
}

export function toReadiness(pending: readonly PendingServer[], failed: readonly CatalogServer[]): Readiness {
  return { ready: pending.length === 0, ...toMissing(pending, failed) };
}

export function toSearchOutcome({ hits, more, pending, failed }: FoundTools): SearchOutcome {
  return { results: hits.map(toSearchResult), more, ...toMissing(pending, failed) };
}

function toMissing(
  pending: readonly PendingServer[],
  failed: readonly CatalogServer[],
): Pick<Readiness, "pending" | "failed"> {
  return {
    pending: pending.map(({ name, phase, forMs }) => ({ server: name, phase, startingForMs: Math.round(forMs) })),
    failed: failed.flatMap(({ definition, failure }) =>
      failure === undefined ? [] : [{ server: definition.name, code: failure.code, message: failure.message }],
    ),
  };
}
