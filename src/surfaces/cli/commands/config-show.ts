import { isAbsolute } from "node:path";
import type { Handler } from "../command.js";
import {
  type ConfigPage,
  type ListedPolicy,
  type ListedServer,
  type ListedSource,
  toConfigPage,
} from "../config-page.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, type Part, WARNING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";
import { shortenHome } from "../../../util/home-path.js";

export const showConfig: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const page = toConfigPage(stages);
    if (context.isJson) context.json(page);
    else {
      context.show(configLines(page, stages.place.home));
      const notices = page.notices.length;
      const where = "`anygpt mcp config validate` shows what was noticed.";
      context.note(notices === 0 ? [] : [line(0, WARNING, ` ${count(notices, "notice")}: ${where}`)]);
    }
    return 0;
  });

export const showSources: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const page = toConfigPage(stages);
    const { file, origin, sources, absent, untrusted } = page;
    if (context.isJson) context.json({ file, origin, sources: [...sources, ...absent], untrusted });
    else context.show(sourcesLines(page, stages.place.home));
    return 0;
  });

export function configLines(page: ConfigPage, home: string): Line[] {
  const { enabled, cache, sources, toolRules, servers, tools } = page;
  return blocks([
    [line(0, bold("MCP Discovery Configuration"), ":")],
    [
      line(0, `File: ${page.file ?? withoutFile(page)}`),
      ...page.untrusted.map((file) => line(0, `Not trusted: ${file}`)),
      line(0, `Status: ${enabled ? "Enabled" : "Disabled"}`),
      line(0, `Cache: ${cache.enabled ? `Enabled (TTL: ${cache.ttl}s)` : "Disabled"}`),
    ],
    [headOf("Sources", sources.length, allClientsText(page)), ...sources.map((source) => sourceLine(source, home))],
    [
      headOf("Tool Rules", toolRules.length),
      ...toolRules.map(({ rule, ...place }, index) =>
        line(2, `${index + 1}. ${rule}`, ...placeParts(place, page.file, home)),
      ),
    ],
    [
      sectionLine("Search", page.search),
      sectionLine("Execution", page.execution),
      sectionLine("Upstreams", page.upstreams),
      policyLine(page.policy),
      line(0, `Audit: ${page.audit.enabled ? "Enabled" : "Disabled"}`),
      line(0, `Store: ${page.store}`),
    ],
    [
      line(0, `Servers: ${servers.configured} configured, ${servers.known} known`),
      ...servers.list.map((server) => serverLine(server, page.file, home)),
      line(0, `Tools: ${tools.total} total, ${tools.enabled} enabled`),
    ],
  ]);
}

/** `Sources (2):`, or `Sources: none`. */
function headOf(name: string, amount: number, more = ""): Line {
  return line(0, amount === 0 && more === "" ? `${name}: none` : `${name} (${amount})${more}:`);
}

/** `all: 22 servers from 4 clients`. */
function allClientsText({ allClients, sources }: ConfigPage): string {
  if (allClients === "no") return "";
  const used = sources.filter(({ servers }) => servers > 0);
  const servers = used.reduce((sum, source) => sum + source.servers, 0);
  const why = allClients === "named" ? "" : ", because none is named";
  return ` - all${why}: ${count(servers, "server")} from ${count(new Set(used.map(({ type }) => type)).size, "client")}`;
}

function withoutFile({ origin }: ConfigPage): string {
  if (origin === "nested") return "none (another gateway started this one)";
  return origin === "defaults" ? "none (built-in defaults, and the servers of other programs)" : "none";
}

function sectionLine(name: string, section: object): Line {
  const values = Object.entries(section).map(([key, value]) => `${key} ${valueText(value)}`);
  return line(0, `${name}: ${values.join(", ")}`);
}

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? "none" : value.join(" ");
}

function policyLine({ preset, confirmation: { mode, from }, pinning, entries }: ListedPolicy): Line {
  const confirmed = mode === "never" ? "confirmation never" : `confirmation ${mode} from ${from}`;
  const total = Object.values(entries).reduce((sum, amount) => sum + amount, 0);
  const lists = Object.entries(entries).filter(([, amount]) => amount > 0);
  const which = lists.map(([name, amount]) => `${name} ${amount}`).join(", ");
  const amount = total === 0 ? "no entries" : `${count(total, "entry", "entries")} (${which})`;
  return line(0, `Policy: preset ${preset}, ${confirmed}, pinning ${pinning}, ${amount}`);
}

function serverLine({ name, kind, reach, ...place }: ListedServer, ours: string | null, home: string): Line {
  return line(2, bold(name), `: ${kind} ${reach}`, ...placeParts(place, ours, home));
}

type Place = Pick<ListedServer, "client" | "file" | "line">;

/** The file is named only where it is another than the configuration's own. */
function placeParts({ client, file, line: row }: Place, ours: string | null, home: string): Part[] {
  const inFile = file === null || file === ours ? "" : shortenHome(file, home);
  const where =
    inFile === "" ? (row === undefined ? "" : `line ${row}`) : `${inFile}${row === undefined ? "" : `:${row}`}`;
  const all = [client, where].filter(Boolean).join(", ");
  return all === "" ? [] : [dim(`  (${all})`)];
}

const MARKS = { ok: GOOD, partial: WARNING, missing: BAD, broken: BAD, untrusted: WARNING } as const;

function sourceLine({ type, path, status, message }: ListedSource, home: string, suffix = ""): Line {
  const reason = message === undefined ? "" : ` - ${isAbsolute(path) ? message.replaceAll(`${path}:`, "") : message}`;
  return line(2, MARKS[status], ` ${type} (${shortenHome(path, home)})${suffix}${reason}`);
}

function sourcesLines(page: ConfigPage, home: string): Line[] {
  const { file, sources, servers, absent } = page;
  const foreign = new Set(sources.flatMap(({ status, path }) => (status === "untrusted" ? [path] : [])));
  const own = page.untrusted.filter((path) => !foreign.has(path));
  return blocks([
    [line(0, bold("Sources"), ":")],
    [
      ...own.map((path) => line(2, WARNING, ` ${path} - not trusted`)),
      file === null && page.origin !== "program"
        ? line(
            2,
            dim("-"),
            ` no configuration file${page.origin === "defaults" ? ": the servers of other programs are used" : ""}`,
          )
        : line(2, GOOD, ` ${file ?? "built-in defaults"}: ${count(servers.inline, "server")}`),
      ...sources.flatMap((source) => sourceLines(source, home)),
      ...(absent.length === 0 ? [] : [line(2, dim("-"), ` not found: ${absent.map(({ type }) => type).join(", ")}`)]),
    ],
    foreign.size + own.length === 0
      ? []
      : [line(0, "`anygpt mcp config trust` lets the files of this project be used.")],
  ]);
}

function sourceLines(source: ListedSource, home: string): Line[] {
  const { status, servers, names = [], skipped = [] } = source;
  const isRead = status === "ok" || status === "partial" || servers > 0;
  const which = names.length === 0 ? "" : ` (${names.join(", ")})`;
  return [
    sourceLine(source, home, isRead ? `: ${count(servers, "server")}${which}` : ""),
    ...skipped.map(({ name, reason }) => line(6, dim(`${name} left out: ${reason}`))),
  ];
}
