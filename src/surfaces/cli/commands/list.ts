import { type CatalogServer, isBuiltIn } from "../../../catalog/snapshot.js";
import { environmentFor } from "../../../gateway/find-configuration.js";
import { importNotes } from "../../../gateway/notices.js";
import { whyNoServer } from "../../../operations/servers/why-no-server.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import {
  assertListed,
  readServerList,
  toServerListJson,
  waitsForRetry,
} from "../../../operations/servers/missing-servers.js";
import {
  BAD,
  BLANK,
  blocks,
  bold,
  count,
  dim,
  line,
  type Line,
  type LineStyle,
  WARNING,
} from "../../../terminal/lines.js";
import { describeProblem } from "../../../util/document/problem.js";
import { catalogNotes, notStartedLines } from "../catalog-notes.js";
import { describeCliStep } from "../next-steps.js";
import { engineCommand, openWholeCatalog } from "../session.js";
import { engineOptions } from "../trust-files.js";
import { cutToWidth } from "../../../util/terminal.js";
import { type Cell, type Column, tableLines } from "../../../terminal/columns.js";
import type { ListedServer, ListedState } from "../../../operations/servers/listed-server.js";

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
    context.aside([`No server is ${disabled.length === 0 ? "configured" : "enabled"}. ${whyNoServer(stages)}`]);
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
    // If servers are named on the command line, the output is only about these servers.
    ...(only.length > 0 ? [] : [...builtIn.map(builtInLine), ...notStartedLines(waitsForRetry(stages, began))]),
    ...importNotes(stages.loaded, stages.configuredServers).map((note) => line(0, dim(note))),
    ...warnings.map((warning) => line(0, WARNING, ` ${warning}`)),
    // The reasons why servers failed are already printed below the table.
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

interface ListColumn extends Column {
  readonly cell: (server: ListedServer) => Cell;
}

const STYLES: Readonly<Record<ListedState, LineStyle>> = {
  connected: "green",
  ready: "green",
  installing: "yellow",
  starting: "yellow",
  pending: "yellow",
  failed: "red",
  disabled: "dim",
};

const NAME: ListColumn = { head: "NAME", isCut: true, cell: ({ name }) => ({ text: name, style: "bold" }) };
const STATE: ListColumn = { head: "STATE", cell: ({ state }) => ({ text: state, style: STYLES[state] }) };
const TOOLS: ListColumn = {
  head: "TOOLS",
  align: "right",
  cell: ({ known, enabledCount, toolCount }) => ({ text: known ? amountOf(enabledCount, toolCount) : "-" }),
};
const TRANSPORT: ListColumn = { head: "TRANSPORT", cell: ({ transport }) => ({ text: transport }) };
const SOURCE: ListColumn = { head: "SOURCE", isCut: true, cell: ({ source }) => ({ text: source }) };

/** The number of tools: `9`, or `6 of 9` if rules disable tools. */
function amountOf(enabled: number, all: number): string {
  return enabled === all ? String(all) : `${enabled} of ${all}`;
}

/**
 * The columns that the user selected. If both or neither are selected, the table shows both, and also the transport and
 * the source.
 */
interface Shown {
  readonly status: boolean;
  readonly tools: boolean;
}

function serverTable(servers: readonly ListedServer[], { status, tools }: Shown, columns: number): Line[] {
  const isAll = status === tools;
  const chosen = [
    NAME,
    ...(isAll || status ? [STATE] : []),
    ...(isAll || tools ? [TOOLS] : []),
    ...(isAll ? [TRANSPORT, SOURCE] : []),
  ];
  const rows = servers.map((server) => chosen.map(({ cell }) => cell(server)));
  return tableLines(chosen, rows, columns);
}

/** One line per failed server, and a summary line. */
function summaryLines(servers: readonly ListedServer[], columns: number): Line[] {
  const failed = servers.filter(({ state }) => state === "failed");
  const reasons = failed.map(({ name, reason = "" }) => {
    const text = cutToWidth(`${name}: ${shortReason(reason, name)}`, Math.max(columns - 2, 20));
    return line(0, BAD, ` ${text}`);
  });
  return [BLANK, ...reasons, line(0, summaryOf(servers))];
}

/** The first sentence, without a leading server name, because the line already starts with it. */
function shortReason(reason: string, name: string): string {
  const [plain = ""] = /^(?:"[^"]*"|[^".]|\.(?!\s|$))*\.?/.exec(reason) ?? [];
  return plain.startsWith(`${name} `) ? plain.slice(name.length + 1) : plain;
}

function summaryOf(servers: readonly ListedServer[]): string {
  const counts = Object.keys(STYLES).flatMap((state) => {
    const amount = servers.filter((server) => server.state === state).length;
    return amount === 0 ? [] : [`${amount} ${state}`];
  });
  const enabled = servers.reduce((sum, { enabledCount }) => sum + enabledCount, 0);
  const all = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  const tools = enabled === all ? count(all, "tool") : `${enabled} of ${count(all, "tool")} enabled`;
  const hasFailed = servers.some(({ state }) => state === "failed");
  const more = hasFailed ? " `anygpt mcp list NAME` shows the full reason." : "";
  return `${count(servers.length, "server")}: ${counts.join(", ")}; ${tools}.${more}`;
}

function detailLines(servers: readonly ListedServer[]): Line[] {
  return blocks(servers.map(serverDetails));
}

function serverDetails(server: ListedServer): Line[] {
  const { name, description, known, enabledCount, toolCount, reason, transport, source, file } = server;
  const disabled = toolCount - enabledCount;
  const tools = known ? `${enabledCount}${disabled === 0 ? "" : ` (and ${disabled} disabled)`}` : "not known yet";
  return [
    line(0, bold(name)),
    ...(description === "" ? [] : [line(2, description)]),
    line(2, "State: ", { style: STYLES[server.state], text: server.state }, MEANINGS[server.state]),
    line(2, `Tools: ${tools}`),
    line(2, `Transport: ${transport}`),
    line(2, `Source: ${source}${file === undefined || file === source ? "" : ` (${file})`}`),
    ...(reason === undefined ? [] : [line(2, `Reason: ${reason}`)]),
  ];
}

const MEANINGS: Readonly<Record<ListedState, string>> = {
  connected: "",
  ready: " (starts when a tool is executed)",
  installing: "",
  starting: "",
  pending: " (has not answered yet)",
  failed: "",
  disabled: " (enable it with `anygpt mcp enable NAME`)",
};
