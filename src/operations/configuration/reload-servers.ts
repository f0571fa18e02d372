import type { ToolChange } from "../../catalog/record.js";
import { type CatalogServer, foreignTools, type Snapshot } from "../../catalog/snapshot.js";
import type { DiscoveryEngine } from "../../engine.js";
import { reloadFile } from "../../gateway/runtime-environment.js";
import { type DescribeStep, describeLibraryStep, withHintText } from "../../model/next-steps.js";
import { writePrivateFile } from "../../util/private-files.js";
import { openCatalog } from "../open-catalog.js";
import { type AskedServer, type AskOptions, askServers } from "../servers/ask-servers.js";

/** The result of requesting the tool list of one server again. */
export interface ReloadedServer {
  readonly server: string;
  readonly status: "new" | "changed" | "unchanged" | "failed";
  readonly tools: number;
  readonly changes: readonly Pick<ToolChange, "tool" | "kind" | "members">[];
  readonly reason?: string;
}

export interface ReloadReport {
  /** The path of the configuration file. Null if there is none. */
  readonly file: string | null;
  readonly servers: readonly ReloadedServer[];
  /** The numbers of tools of all servers together. */
  readonly tools: { readonly total: number; readonly enabled: number };
}

/**
 * Requests the tool list of every server again, and makes the running gateways of this machine reload their
 * configuration.
 */
export async function reloadServers(engine: DiscoveryEngine, options: AskOptions = {}): Promise<ReloadReport> {
  const { describe = describeLibraryStep } = options;
  const stages = await openCatalog(engine);
  const { runtime, discovery, loaded, snapshot } = stages;
  // Running gateways watch this file and reload when it changes, as on SIGHUP.
  await writePrivateFile(reloadFile(runtime.stateFolder), `${runtime.now()}\n`);
  const before = snapshot();
  const names = discovery.servers().map(({ definition }) => definition.name);
  const asked = await askServers(names, stages, options);
  const after = snapshot();
  const tools = foreignTools(after);
  return {
    file: loaded.file ?? null,
    servers: asked.map((server) => toReloaded(server, { before, after, describe })),
    tools: { total: tools.length, enabled: tools.filter(({ enabled }) => enabled).length },
  };
}

interface ReloadParts {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly describe: DescribeStep;
}

function toReloaded({ name, failure }: AskedServer, { before, after, describe }: ReloadParts): ReloadedServer {
  const server = after.servers.get(name);
  const tools = server?.tools.length ?? 0;
  if (failure !== undefined) {
    return { server: name, status: "failed", tools, changes: [], reason: withHintText(failure, describe) };
  }
  if (server?.definition.isFixed === true) return { server: name, status: "unchanged", tools, changes: [] };
  if (before.servers.get(name)?.record === undefined) return { server: name, status: "new", tools, changes: [] };
  const changes = latestChanges(server);
  return { server: name, status: changes.length === 0 ? "unchanged" : "changed", tools, changes };
}

/** The changes in the last tool list of the server. The record also contains earlier changes. */
function latestChanges(server: CatalogServer | undefined): ReloadedServer["changes"] {
  const record = server?.record;
  if (record === undefined) return [];
  return record.changes.filter(({ at }) => at === record.listedAt).map(({ at: _at, ...change }) => change);
}
