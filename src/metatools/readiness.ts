import type { CatalogServer } from "../catalog/snapshot.js";
import type { PendingServer, StartPhase } from "../catalog/starts.js";
import type { ErrorCode } from "../errors.js";
import { type SearchResult, toSearchResult } from "./metadata.js";
import type { FoundTools } from "./found-tools.js";
import type { Fit } from "../search/relevance.js";

/** A server that is still starting, so that its tools are not known yet. */
export interface StartingServer {
  readonly server: string;
  /** How far the start is. `queued`: the gateway starts the server when earlier servers have started or failed. */
  readonly phase: StartPhase;
  /** Milliseconds since the gateway began to start the server. */
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
  /**
   * Whether no server is still starting, so that `pending` is empty: for each server, either its tools are known or it
   * has failed.
   */
  readonly ready: boolean;
  /** Servers that are still starting. */
  readonly pending: readonly StartingServer[];
  /** Servers that could not be started or reached. */
  readonly failed: readonly FailedServer[];
}

/** The result of `search`: the tools that match, and the servers whose tools could not be searched. */
export interface SearchOutcome {
  /**
   * How well the results fit the query. `good`: the first is probably the right one. `unsure`: the right one is probably
   * among them. `none`: no tool fits, and the results are only the closest tools.
   */
  readonly fit: Fit;
  readonly results: readonly SearchResult[];
  /** The ids of further tools that may still be right, best first. */
  readonly also: readonly string[];
  /** Known products that the query names and that no tool contains. */
  readonly missing: readonly string[];
  /** Servers that are still starting. While there are any, the right tool may be one of theirs. */
  readonly pending: readonly StartingServer[];
  /** Servers that could not be started or reached. */
  readonly failed: readonly FailedServer[];
}

export function toReadiness(pending: readonly PendingServer[], failed: readonly CatalogServer[]): Readiness {
  return { ready: pending.length === 0, ...toMissing(pending, failed) };
}

export function toSearchOutcome({ fit, hits, also, missing, pending, failed }: FoundTools): SearchOutcome {
  const results = hits.map(toSearchResult);
  return { fit, results, also: also.map(({ tool }) => tool.id), missing, ...toMissing(pending, failed) };
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
