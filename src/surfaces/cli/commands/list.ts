import { type CatalogServer, isBuiltIn } from "../../../catalog/snapshot.js";
import { environmentFor } from "../../../gateway/find-configuration.js";
import { importNotes } from "../../../gateway/notices.js";
import type { Stages } from "../../../gateway/stages.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import {
  assertListed,
  readServerList,
  toServerListJson,
  waitsForRetry,
} from "../../../operations/servers/missing-servers.js";
import { count, dim, line, type Line, WARNING } from "../../../terminal/lines.js";
import { describeProblem } from "../../../util/document/problem.js";
import { catalogNotes, notStartedLines } from "../catalog-notes.js";
import { detailLines, serverTable, summaryLines } from "../list/list-lines.js";
import { describeCliStep } from "../next-steps.js";
import { engineCommand, openWholeCatalog } from "../session.js";
import { engineOptions } from "../trust-files.js";

export const list = engineCommand(async (engine, input, context) => {
  const only = input.list("servers");
  const began = environmentFor(engineOptions(context)).now();
  await assertListed(only, await openCatalog(engine));
  const stages = await openWholeCatalog(engine, context);
  const found = readServerList(stages, describeCliStep, only);
  if (context.isJson) return context.json(toServerListJson(found, stages, describeCliStep));
  const { enabled, disabled, missing } = found;
  const servers = [...enabled, ...disabled];
  if (enabled.length === 0 && only.length === 0) {
    context.aside([`No server is ${disabled.length === 0 ? "configured" : "enabled"}. ${whyNone(stages)}`]);
  }
  if (servers.length === 0) context.show([]);
  else if (input.flag("long") || only.length > 0) context.show(detailLines(servers));
  else {
    const shown = { status: input.flag("status"), tools: input.flag("tools") };
    context.show(serverTable(servers, shown, context.widths.stdout));
    context.aside(summaryLines(servers, context.widths.stderr));
  }
  const builtIn = [...stages.snapshot().servers.values()].filter(isBuiltIn);
  const warnings = [...stages.loaded.notices, ...stages.configuredServers.problems.map(describeProblem)];
  context.aside([
    // A server named on the command line is always started.
    ...(only.length > 0 ? [] : [...builtIn.map(builtInLine), ...notStartedLines(waitsForRetry(stages, began))]),
    ...importNotes(stages.loaded, stages.configuredServers).map((note) => line(0, dim(note))),
    ...warnings.map((warning) => line(0, WARNING, ` ${warning}`)),
    // The reasons of failed servers are already printed below the table.
    ...catalogNotes({ ...missing, failed: [] }),
  ]);
});

/** The built-in server has no configuration entry, but its tools appear in search results, so the list names it. */
function builtInLine({ definition: { name }, tools }: CatalogServer): Line {
  const { length } = tools.filter(({ enabled }) => enabled);
  return line(
    0,
    dim(`Built-in server ${name}: ${count(length, "tool")}. List them with \`anygpt mcp tools ${name}\`.`),
  );
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
