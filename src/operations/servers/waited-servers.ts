import type { PendingServer } from "../../catalog/starts.js";
import type { Stages } from "../../gateway/stages.js";

/** One server that a command waits for. */
export type WaitedServer = { readonly name: string } & (
  | { readonly kind: "pending"; readonly start: PendingServer }
  | { readonly kind: "answered"; readonly tools: number }
  | { readonly kind: "failed"; readonly reason: string }
);

/** The states of the servers that a command waits for. */
export function waitedServers(
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
