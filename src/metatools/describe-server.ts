import type { CatalogServer } from "../catalog/snapshot.js";
import { type DescribeStep, withHintText } from "../model/next-steps.js";
import type { ServerSummary } from "./metadata.js";
import type { UpstreamState } from "../upstreams/types.js";
import { withoutHiddenText } from "../util/hidden-text.js";
import { summarize } from "../search/summary.js";

/**
 * Summarizes a server for a list of servers. `describe` renders the next steps after a failure. While the server is
 * starting (`isPending`), an earlier failure is not shown.
 */
export function describeServer(
  server: CatalogServer,
  state: UpstreamState,
  describe: DescribeStep,
  isPending = false,
): ServerSummary {
  const { definition, record, failure, tools } = server;
  const failed = isPending ? undefined : state.kind === "failed" ? state.reason : failure;
  const isOpen = state.kind === "open";
  return {
    name: definition.name,
    description: serverDescription(server),
    toolCount: tools.length,
    enabledCount: tools.filter((tool) => tool.enabled).length,
    status: isOpen ? "connected" : failed === undefined ? "disconnected" : "error",
    known: record !== undefined || tools.length > 0,
    ...(isOpen || failed === undefined ? {} : { reason: withHintText(failed, describe) }),
  };
}

/** Returns the description in the configuration; without one, the title or the instructions that the server sent. */
function serverDescription({ definition, record }: CatalogServer): string {
  return summarize(withoutHiddenText(definition.description ?? record?.title ?? record?.instructions ?? ""), 100);
}
