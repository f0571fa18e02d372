import type { Stages } from "../../../compose.js";
import { toListedServer } from "../../../metatools/discovery-profile.js";
import { importNotes } from "../../../notices.js";
import { describeProblem } from "../../../util/document/problem.js";
import { catalogNotes, missingData, type MissingServers } from "../catalog-notes.js";
import type { Handler } from "../command.js";
import { dim, line, WARNING } from "../lines.js";
import { detailLines, serverTable, summaryLines } from "../list/list-lines.js";
import { listServers } from "../list/listed-server.js";
import { openCatalog, openWholeCatalog, withEngine } from "../session.js";

export const list: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const only = input.list("servers");
    const known = await openCatalog(engine);
    // An unknown name fails here, with the nearest ones, before anything is started.
    for (const name of only) if (!known.snapshot().servers.has(name)) await known.discovery.server(name);
    const stages = await openWholeCatalog(engine, context);
    const servers = listServers(stages, only);
    const missing = missingIn(stages, only);
    if (context.isJson) {
      const starts = new Map(stages.discovery.starts().map((start) => [start.name, start]));
      const listed = servers.map((one) => toListedServer(one, { isLong: false, start: starts.get(one.name) }));
      context.json({ servers: listed, ...missingData(missing) });
      return 0;
    }
    const { isTerminal, columns, stderrColumns = columns } = context.io;
    if (servers.length === 0) context.aside([line(0, `No server is configured. ${whyNone(stages)}`)]);
    else if (input.flag("long") || only.length > 0) context.show(detailLines(servers));
    else {
      const shown = { status: input.flag("status"), tools: input.flag("tools") };
      context.show(serverTable(servers, shown, isTerminal.stdout ? columns : Infinity));
      context.aside(summaryLines(servers, isTerminal.stderr ? stderrColumns : Infinity));
    }
    context.aside([
      ...importNotes(stages.loaded, stages.collected).map((note) => line(0, dim(note))),
      ...stages.loaded.notices.map((notice) => line(0, WARNING, ` ${notice}`)),
      ...stages.collected.problems.map((problem) => line(0, WARNING, ` ${describeProblem(problem)}`)),
      // The reasons of failed servers stand below the table already.
      ...catalogNotes({ ...missing, failed: [] }),
    ]);
    return 0;
  });

function missingIn({ discovery }: Stages, only: readonly string[]): MissingServers {
  const isShown = (name: string): boolean => only.length === 0 || only.includes(name);
  return {
    pending: discovery.starts().filter(({ name }) => isShown(name)),
    failed: discovery.failed().filter(({ definition }) => isShown(definition.name)),
  };
}

/** Why there is no server, and what to do about it. The file that is named is the one in force. */
function whyNone({ loaded: { file }, config }: Stages): string {
  const where = file ?? "the configuration";
  if (!config.enabled) return `Remove \`enabled: false\` from ${where}: it switches the gateway off.`;
  const { length } = config.servers;
  if (length > 0 && config.servers.every(({ enabled }) => !enabled)) {
    return `Remove \`enabled: false\` from a server in ${where}: ${length === 1 ? "its only server is" : `all its ${length} servers are`} disabled.`;
  }
  const add = file === undefined ? "" : `, or add servers to ${file}, which is in force`;
  return `Take over the servers of other programs with \`anygpt mcp import\`${add}.`;
}
