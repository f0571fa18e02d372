import type { ToolChange } from "../../../catalog/record.js";
import { type CatalogServer, foreignTools, type Snapshot } from "../../../catalog/snapshot.js";
import { type AskedServer, askServers } from "../ask-servers.js";
import type { Handler } from "../command.js";
import { reasonOf } from "../failure.js";
import { BAD, blocks, bold, count, GOOD, line, type Line } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";
import { reloadFile } from "../../../place.js";
import { writePrivateFile } from "../../../util/private-files.js";

export const reloadConfig: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    // Running gateways look at this file, and do what they do on SIGHUP when it changes.
    await writePrivateFile(reloadFile(stages.place.stateFolder), `${stages.place.now()}\n`);
    const before = stages.snapshot();
    const asked = await askServers(
      stages.discovery.servers().map(({ definition }) => definition.name),
      stages,
      context,
    );
    const after = stages.snapshot();
    const reloaded = asked.map((server) => toReloaded(server, before, after));
    if (context.isJson) context.json({ file: stages.loaded.file ?? null, servers: reloaded });
    else context.show(reloadLines(reloaded, after));
    return 0;
  });

/** What became of one server's tools. */
export interface Reloaded {
  readonly server: string;
  readonly status: "new" | "changed" | "unchanged" | "failed";
  readonly tools: number;
  readonly changes: readonly Pick<ToolChange, "tool" | "kind" | "members">[];
  readonly reason?: string;
}

function toReloaded({ name, failure }: AskedServer, before: Snapshot, after: Snapshot): Reloaded {
  const server = after.servers.get(name);
  const tools = server?.tools.length ?? 0;
  if (failure !== undefined) {
    return { server: name, status: "failed", tools, changes: [], reason: reasonOf(failure) };
  }
  if (server?.definition.isFixed === true) return { server: name, status: "unchanged", tools, changes: [] };
  if (before.servers.get(name)?.record === undefined) return { server: name, status: "new", tools, changes: [] };
  const changes = freshChanges(server);
  return { server: name, status: changes.length === 0 ? "unchanged" : "changed", tools, changes };
}

/** A record keeps the changes of all times; those of its last listing bear its time. */
function freshChanges(server: CatalogServer | undefined): Reloaded["changes"] {
  const record = server?.record;
  if (record === undefined) return [];
  return record.changes.filter(({ at }) => at === record.listedAt).map(({ at: _at, ...change }) => change);
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

export function reloadLines(servers: readonly Reloaded[], snapshot: Pick<Snapshot, "servers">): Line[] {
  const tools = foreignTools(snapshot);
  const enabled = tools.filter((tool) => tool.enabled).length;
  return blocks([
    [line(0, GOOD, " Configuration reloaded.")],
    servers.flatMap(serverLines),
    [
      line(
        0,
        `Servers: ${servers.length} configured, ${servers.filter(({ status }) => status !== "failed").length} answered`,
      ),
      line(0, `Tools: ${tools.length} total, ${enabled} enabled`),
    ],
    [line(0, "Running gateways have been told, and follow within two seconds.")],
  ]);
}

function serverLines({ server, status, tools, changes, reason }: Reloaded): Line[] {
  if (status === "failed") return [line(0, BAD, " ", bold(server), ": failed"), line(2, reason ?? "")];
  const what = status === "changed" ? count(changes.length, "change") : status;
  return [
    line(0, GOOD, " ", bold(server), `: ${what} (${count(tools, "tool")})`),
    ...changes.map(({ tool, kind, members }) =>
      line(2, `${SIGNS[kind]} ${tool} ${kind}${members === undefined ? "" : ` (${members.join(", ")})`}`),
    ),
  ];
}
