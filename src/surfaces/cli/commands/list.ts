import { type CatalogServer, isBuiltIn } from "../../../catalog/snapshot.js";
import type { Stages } from "../../../gateway/stages.js";
import { environmentFor } from "../../../gateway/find-configuration.js";
import { toListedServer } from "../../../metatools/discovery-profile.js";
import { importNotes } from "../../../gateway/notices.js";
import { describeProblem } from "../../../util/document/problem.js";
import { catalogNotes, missingData, type MissingServers, notStartedLines } from "../catalog-notes.js";
import { count, dim, line, type Line, WARNING } from "../../../terminal/lines.js";
import { describeCliStep } from "../next-steps.js";
import { detailLines, serverTable, summaryLines } from "../list/list-lines.js";
import { listDisabled, listServers } from "../../../operations/servers/listed-server.js";
import { openWholeCatalog, engineCommand } from "../session.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import { engineOptions } from "../trust-files.js";

export const list = engineCommand(async (engine, input, context) => {
  const only = input.list("servers");
  const { now } = environmentFor(engineOptions(context));
  const began = now();
  const known = await openCatalog(engine);
  // An unknown name fails here, with similar names in the hint, before any server is started.
  const off = listDisabled(known, only);
  const isKnown = (name: string): boolean =>
    known.snapshot().servers.has(name) || off.some((server) => server.name === name);
  for (const name of only) if (!isKnown(name)) await known.discovery.server(name);
  const stages = await openWholeCatalog(engine, context);
  const enabled = listServers(stages, describeCliStep, only);
  const disabled = listDisabled(stages, only);
  const servers = [...enabled, ...disabled];
  const missing = missingIn(stages, only);
  if (context.isJson) {
    const starts = new Map(stages.discovery.starts().map((start) => [start.name, start]));
    const listed = enabled.map((one) => toListedServer(one, { isLong: false, start: starts.get(one.name) }));
    const off = disabled.map(({ name, transport, file = null }) => ({ name, transport, file }));
    context.json({ servers: listed, ...(off.length === 0 ? {} : { disabled: off }), ...missingData(missing) });
    return 0;
  }
  const { isTerminal, columns, stderrColumns = columns } = context.io;
  if (enabled.length === 0 && only.length === 0) {
    context.aside([line(0, `No server is ${disabled.length === 0 ? "configured" : "enabled"}. ${whyNone(stages)}`)]);
  }
  if (servers.length === 0) context.show([]);
  else if (input.flag("long") || only.length > 0) context.show(detailLines(servers));
  else {
    const shown = { status: input.flag("status"), tools: input.flag("tools") };
    context.show(serverTable(servers, shown, isTerminal.stdout ? columns : Infinity));
    context.aside(summaryLines(servers, isTerminal.stderr ? stderrColumns : Infinity));
  }
  const builtIn = [...stages.snapshot().servers.values()].filter(isBuiltIn);
  context.aside([
    ...(only.length > 0 ? [] : builtIn.map(builtInLine)),
    // A server named on the command line is always started.
    ...(only.length > 0 ? [] : notStartedLines(stages.discovery.failed(), began)),
    ...importNotes(stages.loaded, stages.configuredServers).map((note) => line(0, dim(note))),
    ...stages.loaded.notices.map((notice) => line(0, WARNING, ` ${notice}`)),
    ...stages.configuredServers.problems.map((problem) => line(0, WARNING, ` ${describeProblem(problem)}`)),
    // The reasons of failed servers are already printed below the table.
    ...catalogNotes({ ...missing, failed: [] }),
  ]);
  return 0;
});

/** The built-in server has no configuration entry, but its tools appear in search results, so the list names it. */
function builtInLine({ definition: { name }, tools }: CatalogServer): Line {
  const { length } = tools.filter(({ enabled }) => enabled);
  return line(
    0,
    dim(`Built-in server ${name}: ${count(length, "tool")}. List them with \`anygpt mcp tools ${name}\`.`),
  );
}

function missingIn({ discovery }: Stages, only: readonly string[]): MissingServers {
  const isShown = (name: string): boolean => only.length === 0 || only.includes(name);
  return {
    pending: discovery.starts().filter(({ name }) => isShown(name)),
    failed: discovery.failed().filter(({ definition }) => isShown(definition.name)),
  };
}

/** Why there is no server, and how to get one. */
function whyNone({ loaded: { file }, config }: Stages): string {
  const where = file ?? "the configuration";
  if (!config.enabled) return `Remove \`enabled: false\` from ${where}: it disables the gateway.`;
  const { length } = config.servers;
  if (length > 0 && config.servers.every(({ enabled }) => !enabled)) {
    return `Run \`anygpt mcp enable ${config.servers[0]?.name}\`, or remove \`enabled: false\` from a server in ${where}: ${length === 1 ? "its only server is" : `all its ${length} servers are`} disabled.`;
  }
  const add = "Add one with `anygpt mcp add NAME -- COMMAND`, or find public ones with `anygpt mcp find WORDS`.";
  // Without a configuration file the gateway already uses the servers of MCP clients, so there are none to import.
  if (file === undefined) return add;
  return `${add} \`anygpt mcp import\` copies the servers of your MCP clients. The configuration file is ${file}.`;
}
