import type { CatalogServer } from "../catalog/snapshot.js";
import type { ServerSummary } from "./metadata.js";
import type { UpstreamState } from "../upstreams/types.js";
import { summarize } from "../search/summary.js";

export function describeServer(server: CatalogServer, state: UpstreamState): ServerSummary {
  const { definition, record, failure, tools } = server;
  const failed = state.kind === "failed" ? state.reason : failure;
  const isOpen = state.kind === "open";
  return {
    name: definition.name,
    description: serverDescription(server),
    toolCount: tools.length,
    enabledCount: tools.filter((tool) => tool.enabled).length,
    status: isOpen ? "connected" : failed === undefined ? "disconnected" : "error",
    known: record !== undefined || tools.length > 0,
    ...(isOpen || failed === undefined ? {} : { reason: [failed.message, failed.hint].filter(Boolean).join(" ") }),
  };
}

/** What a person wrote of it, else what it says of itself. */
function serverDescription({ definition, record }: CatalogServer): string {
  return summarize(definition.description ?? record?.title ?? record?.instructions ?? "", 100);
}
