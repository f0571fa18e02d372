import type { PendingServer } from "../../catalog/starts.js";
import type { DiscoveryEngine } from "../../engine.js";
import type { Stages } from "../../gateway/stages.js";
import { openCatalog } from "../open-catalog.js";

/** One server that a command waits for. */
export type WaitedServer = { readonly name: string } & (
  | { readonly kind: "pending"; readonly start: PendingServer }
  | { readonly kind: "answered"; readonly tools: number }
  | { readonly kind: "failed"; readonly reason: string }
);

/** The states of the servers that a command waits for. */
function waitedServers(
  names: readonly string[],
  { refresh, snapshot }: Pick<Stages, "refresh" | "snapshot">,
): WaitedServer[] {
  const starts = new Map(refresh.starts().map((start) => [start.name, start]));
  return names.flatMap((name): WaitedServer[] => {
    const start = starts.get(name);
    const server = snapshot().servers.get(name);
    if (start !== undefined) return [{ name, kind: "pending", start }];
    if (server === undefined) return [];
    if (server.failure !== undefined) return [{ name, kind: "failed", reason: server.failure.message }];
    return [{ name, kind: "answered", tools: server.tools.filter(({ enabled }) => enabled).length }];
  });
}

export interface ListUnknownOptions {
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /**
   * Called with the promise of the wait and a function that returns the server states, for example to show progress.
   */
  readonly during: (work: Promise<unknown>, servers: () => readonly WaitedServer[]) => Promise<unknown>;
}

/**
 * Opens the catalog and requests the tool lists of servers that were never connected before. Waits until none of them
 * makes progress, at most `maxWaitMs`. Servers that failed recently are not started again. If all servers have been
 * listed before, nothing is requested: a short command would end before outdated lists were refreshed.
 */
export async function listUnknownServers(
  engine: DiscoveryEngine,
  { maxWaitMs, signal, during }: ListUnknownOptions,
): Promise<Stages> {
  const stages = await openCatalog(engine);
  const { refresh } = stages;
  if (!refresh.hasUnknown()) return stages;
  refresh.start();
  const names = refresh.pending();
  await during(refresh.whenSettled(maxWaitMs, { signal }), () => waitedServers(names, stages));
  refresh.giveUp();
  return stages;
}
