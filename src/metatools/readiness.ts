import type { CatalogServer } from "../catalog/snapshot.js";
import type { PendingServer, StartPhase } from "../catalog/starts.js";
import type { ErrorCode } from "../errors.js";
import { type SearchResult, toSearchResult } from "./metadata.js";
import type { FoundTools } from "./found-tools.js";

/** A server whose tools are not known yet because it has not answered. */
export interface StartingServer {
  readonly server: string;
  /** `queued`: the gateway starts it when the servers before it have answered or failed. */
  readonly phase: StartPhase;
  /** Milliseconds since the gateway began to start it. */
  readonly startingForMs: number;
}

/** A server that could not be started or reached, so that its tools are not known. */
export interface FailedServer {
  readonly server: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What `ready` returns. */
export interface Readiness {
  /** Whether every server has answered or failed: `pending` is empty. */
  readonly ready: boolean;
  /** Servers that are still starting. */
  readonly pending: readonly StartingServer[];
  /** Servers that could not be started or reached. */
  readonly failed: readonly FailedServer[];
}

/** What a search found, and the servers whose tools it could not search. */
export interface SearchOutcome {
  readonly results: readonly SearchResult[];
  /** How many more tools match than `results` has. */
  readonly more: number;
  /** Servers that are still starting. While there are any, empty `results` do not mean that no tool matches. */
  readonly pending: readonly StartingServer[];
  /** Servers that could not be started or reached. */
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
