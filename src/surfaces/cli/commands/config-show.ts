import type { Handler } from "../command.js";
import { type ConfigPage, type ListedServer, type ListedSource, toConfigPage } from "../config-page.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, type Part, WARNING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";

export const showConfig: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const page = toConfigPage(await openCatalog(engine));
    if (context.isJson) context.json(page);
    else {
      context.show(configLines(page));
      const notices = page.notices.length;
      const where = "`anygpt mcp config validate` shows what was noticed.";
      context.note(notices === 0 ? [] : [line(0, WARNING, ` ${count(notices, "notice")}: ${where}`)]);
    }
    return 0;
  });

export const showSources: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const page = toConfigPage(await openCatalog(engine));
    const { file, origin, sources, untrusted } = page;
    if (context.isJson) context.json({ file, origin, sources, untrusted });
    else context.show(sourcesLines(page));
    return 0;
  });

export function configLines(page: ConfigPage): Line[] {
  const { enabled, cache, sources, toolRules, servers, tools } = page;
  return blocks([
    [line(0, bold("MCP Discovery Configuration"), ":")],
    [
      line(0, `File: ${page.file ?? "none (built-in defaults)"}`),
      ...page.untrusted.map((file) => line(0, `Not trusted: ${file}`)),
      line(0, `Status: ${enabled ? "Enabled" : "Disabled"}`),
      line(0, `Cache: ${cache.enabled ? `Enabled (TTL: ${cache.ttl}s)` : "Disabled"}`),
    ],
    [line(0, `Sources (${sources.length}):`), ...sources.map((source) => sourceLine(source))],
    [
      line(0, `Tool Rules (${toolRules.length}):`),
      ...toolRules.map(({ rule, ...place }, index) => line(2, `${index + 1}. ${rule}`, ...placeParts(place, page))),
    ],
    [
      sectionLine("Search", page.search),
      sectionLine("Execution", page.execution),
      sectionLine("Upstreams", page.upstreams),
      line(0, `Audit: ${page.audit.enabled ? `Enabled (${page.audit.file})` : "Disabled"}`),
    ],
    [
      line(0, `Servers: ${servers.configured} configured, ${servers.known} known`),
      ...servers.list.map((server) => serverLine(server, page)),
      line(0, `Tools: ${tools.total} total, ${tools.enabled} enabled`),
    ],
  ]);
}

function sectionLine(name: string, section: object): Line {
  const values = Object.entries(section).map(([key, value]) => `${key} ${String(value)}`);
  return line(0, `${name}: ${values.join(", ")}`);
}

function serverLine({ name, kind, reach, ...place }: ListedServer, page: ConfigPage): Line {
  return line(2, bold(name), `: ${kind} ${reach}`, ...placeParts(place, page));
}

/** The file is named only where it is another than the configuration's own. */
function placeParts({ file, line: row }: { file: string | null; line?: number }, page: ConfigPage): Part[] {
  const inFile = file === null || file === page.file ? "" : file;
  if (row === undefined) return inFile === "" ? [] : [dim(`  (${inFile})`)];
  return [dim(inFile === "" ? `  (line ${row})` : `  (${inFile}:${row})`)];
}

const MARKS = { ok: GOOD, partial: WARNING, missing: BAD, broken: BAD, untrusted: WARNING } as const;

function sourceLine({ type, path, status, message }: ListedSource, suffix = ""): Line {
  const reason = message === undefined ? "" : ` - ${message}`;
  return line(2, MARKS[status], ` ${type} (${path})${suffix}${reason}`);
}

function isRead({ status }: ListedSource): boolean {
  return status === "ok" || status === "partial";
}

function sourcesLines({ file, sources, servers, untrusted }: ConfigPage): Line[] {
  return blocks([
    [line(0, bold(`Sources (${sources.length})`), ":")],
    [
      ...untrusted.map((path) => line(2, WARNING, ` ${path} - not trusted`)),
      line(2, GOOD, ` ${file ?? "built-in defaults"}: ${count(servers.inline, "server")}`),
      ...sources.map((source) => sourceLine(source, isRead(source) ? `: ${count(source.servers, "server")}` : "")),
    ],
  ]);
}
