import type { CatalogServer } from "../../../catalog/snapshot.js";
import type { Stages } from "../../../compose.js";
import { describeServer } from "../../../metatools/describe-server.js";
import type { ServerSummary } from "../../../metatools/metadata.js";
import { isInstalling, type UpstreamState } from "../../../upstreams/types.js";

/** `ready`: its tools are known and it starts when one is executed. `pending`: it has not answered yet. */
export type ListedState = "connected" | "ready" | "installing" | "starting" | "pending" | "failed";

export interface ListedServer extends ServerSummary {
  readonly isPending: boolean;
  readonly state: ListedState;
  readonly transport: string;
  /** A short name of the place that the definition comes from. */
  readonly source: string;
  /** The file that the definition is in. */
  readonly file: string | undefined;
}

export function listServers(stages: Stages, only: readonly string[] = []): ListedServer[] {
  const { discovery, upstreams } = stages;
  const pending = new Set(discovery.pending());
  return discovery
    .servers()
    .filter(({ definition }) => only.length === 0 || only.includes(definition.name))
    .map((server) => {
      const { name, connection } = server.definition;
      const upstream = upstreams.state(name);
      const summary = describeServer(server, upstream);
      const isPending = pending.has(name);
      return {
        ...summary,
        isPending,
        state: stateOf(summary, upstream, isPending),
        transport: connection.kind,
        ...sourceOf(server, stages),
      };
    });
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
  { collected, loaded }: Stages,
): Pick<ListedServer, "source" | "file"> {
  if (connection.kind === "built-in") return { source: "built-in", file: undefined };
  if (origin === "inline" || origin === loaded.file) return { source: OWN_FILE, file: loaded.file };
  const type = collected.sources.find(({ path }) => path === origin)?.type;
  return { source: type ?? origin, file: origin };
}
