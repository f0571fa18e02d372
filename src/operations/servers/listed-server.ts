import type { CatalogServer } from "../../catalog/snapshot.js";
import type { Stages } from "../../gateway/stages.js";
import { describeServer } from "../../metatools/describe-server.js";
import type { ServerSummary } from "../../metatools/metadata.js";
import type { DescribeStep } from "../../model/next-steps.js";
import type { ServerEntry } from "../../sources/options.js";
import { switchedOffEntries } from "../../sources/switched-off.js";
import { isInstalling, type UpstreamState } from "../../upstreams/types.js";

/**
 * The state of a server. `ready`: its tools are known, and the next call starts it. `pending`: its tools are not known
 * yet.
 */
export type ListedState = "connected" | "ready" | "installing" | "starting" | "pending" | "failed" | "disabled";

export interface ListedServer extends ServerSummary {
  readonly isPending: boolean;
  readonly state: ListedState;
  readonly transport: string;
  /** A short name of the source of the definition. */
  readonly source: string;
  /** The file that the definition is in. */
  readonly file: string | undefined;
}

export function listServers(stages: Stages, describe: DescribeStep, only: readonly string[] = []): ListedServer[] {
  const { discovery, upstreams } = stages;
  const pending = new Set(discovery.pending());
  return discovery
    .servers()
    .filter(({ definition }) => only.length === 0 || only.includes(definition.name))
    .map((server) => {
      const { name, connection } = server.definition;
      const upstream = upstreams.state(name);
      const isPending = pending.has(name);
      const summary = describeServer(server, upstream, describe, isPending);
      return {
        ...summary,
        isPending,
        state: stateOf(summary, upstream, isPending),
        transport: connection.kind,
        ...sourceOf(server, stages),
      };
    });
}

/** Servers that the configuration disables. */
export function listDisabled({ config, loaded }: Stages, only: readonly string[] = []): ListedServer[] {
  return switchedOffEntries(config.servers)
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map((entry) => ({
      name: entry.name,
      description: entry.description ?? "",
      toolCount: 0,
      enabledCount: 0,
      status: "disconnected",
      known: false,
      isPending: false,
      state: "disabled",
      transport: transportOf(entry),
      source: OWN_FILE,
      file: loaded.file,
    }));
}

function transportOf({ type, command, url }: ServerEntry): string {
  if (command !== undefined) return "stdio";
  return url === undefined ? "-" : type === "sse" ? "sse" : "http";
}

function stateOf({ status }: ServerSummary, upstream: UpstreamState, isPending: boolean): ListedState {
  if (status === "connected") return "connected";
  if (status === "error") return "failed";
  if (isInstalling(upstream)) return "installing";
  if (upstream.kind === "starting") return "starting";
  return isPending ? "pending" : "ready";
}

const OWN_FILE = "configuration";

function sourceOf(
  { definition: { origin, connection } }: CatalogServer,
  { configuredServers, loaded }: Stages,
): Pick<ListedServer, "source" | "file"> {
  if (connection.kind === "built-in") return { source: "built-in", file: undefined };
  if (origin === "inline" || origin === loaded.file) return { source: OWN_FILE, file: loaded.file };
  const type = configuredServers.sources.find(({ path }) => path === origin)?.type;
  return { source: type ?? origin, file: origin };
}
