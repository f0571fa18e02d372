import { auditFiles } from "../../../audit/audit-log.js";
import type { Stages } from "../../../compose.js";
import type { Config } from "../../../config/options.js";
import { describeRule } from "../../../rules/explain.js";
import type { SourceReport } from "../../../sources/collect.js";
import type { Handler } from "../command.js";
import { BAD, blocks, bold, count, GOOD, line, type Line, WARNING } from "../lines.js";
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
    const { file, sources, servers } = toConfigPage(await openCatalog(engine));
    if (context.isJson) context.json({ file, sources });
    else context.show(sourcesLines({ file, sources, servers }));
    return 0;
  });

/** `partial`: some of its entries were left out, the message says why. */
export interface ListedSource extends Omit<SourceReport, "status"> {
  readonly status: SourceReport["status"] | "partial";
}

/** The configuration as a person may see it: no connection is in it, because connections hold secrets. */
export interface ConfigPage {
  readonly file: string | null;
  readonly enabled: boolean;
  readonly cache: { readonly enabled: boolean; readonly ttl: number };
  readonly sources: readonly ListedSource[];
  readonly toolRules: readonly string[];
  readonly search: Config["search"];
  readonly execution: Config["execution"];
  readonly upstreams: Config["upstreams"];
  readonly audit: { readonly enabled: boolean; readonly file: string };
  readonly servers: { readonly configured: number; readonly known: number; readonly inline: number };
  readonly tools: { readonly total: number; readonly enabled: number };
  readonly notices: readonly string[];
}

function toConfigPage({ place, loaded, config, collected, snapshot }: Stages): ConfigPage {
  const { servers, tools } = snapshot();
  const known = [...servers.values()].filter((server) => server.record !== undefined || server.tools.length > 0);
  return {
    file: loaded.file ?? null,
    enabled: config.enabled,
    cache: config.cache,
    sources: collected.sources.map((source) =>
      source.status === "ok" && source.message !== undefined ? { ...source, status: "partial" } : source,
    ),
    toolRules: config.toolRules.map(describeRule),
    search: config.search,
    execution: config.execution,
    upstreams: config.upstreams,
    audit: { enabled: config.audit.enabled, file: auditFiles(place.stateFolder, config.audit.file).file },
    servers: {
      configured: servers.size,
      known: known.length,
      inline: config.servers.filter(({ enabled }) => enabled).length,
    },
    tools: { total: tools.size, enabled: [...tools.values()].filter(({ enabled }) => enabled).length },
    notices: [...loaded.notices, ...collected.notices],
  };
}

export function configLines(page: ConfigPage): Line[] {
  const { enabled, cache, sources, toolRules, servers, tools } = page;
  return blocks([
    [line(0, bold("MCP Discovery Configuration"), ":")],
    [
      line(0, `File: ${page.file ?? "none (built-in defaults)"}`),
      line(0, `Status: ${enabled ? "Enabled" : "Disabled"}`),
      line(0, `Cache: ${cache.enabled ? `Enabled (TTL: ${cache.ttl}s)` : "Disabled"}`),
    ],
    [line(0, `Sources (${sources.length}):`), ...sources.map((source) => sourceLine(source))],
    [line(0, `Tool Rules (${toolRules.length}):`), ...toolRules.map((rule, index) => line(2, `${index + 1}. ${rule}`))],
    [
      sectionLine("Search", page.search),
      sectionLine("Execution", page.execution),
      sectionLine("Upstreams", page.upstreams),
      line(0, `Audit: ${page.audit.enabled ? `Enabled (${page.audit.file})` : "Disabled"}`),
    ],
    [
      line(0, `Servers: ${servers.configured} configured, ${servers.known} known`),
      line(0, `Tools: ${tools.total} total, ${tools.enabled} enabled`),
    ],
  ]);
}

function sectionLine(name: string, section: object): Line {
  const values = Object.entries(section).map(([key, value]) => `${key} ${String(value)}`);
  return line(0, `${name}: ${values.join(", ")}`);
}

const MARKS = { ok: GOOD, partial: WARNING, missing: BAD, broken: BAD } as const;

function sourceLine({ type, path, status, message }: ListedSource, suffix = ""): Line {
  const reason = message === undefined ? "" : ` - ${message}`;
  return line(2, MARKS[status], ` ${type} (${path})${suffix}${reason}`);
}

function isRead({ status }: ListedSource): boolean {
  return status === "ok" || status === "partial";
}

function sourcesLines({ file, sources, servers }: Pick<ConfigPage, "file" | "sources" | "servers">): Line[] {
  return blocks([
    [line(0, bold(`Sources (${sources.length})`), ":")],
    [
      line(2, GOOD, ` ${file ?? "built-in defaults"}: ${count(servers.inline, "server")}`),
      ...sources.map((source) => sourceLine(source, isRead(source) ? `: ${count(source.servers, "server")}` : "")),
    ],
  ]);
}
