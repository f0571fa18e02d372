import { isAbsolute } from "node:path";
import type { ProjectFile } from "../../../config/project-files.js";
import { toErrorObject } from "../../../metatools/to-error-object.js";
import {
  type ConfigPage,
  type ConfiguredServerLine,
  describeConfiguration,
  type ListedPolicy,
  type ListedSource,
} from "../../../operations/configuration/describe-configuration.js";
import {
  type ReloadedServer,
  type ReloadReport,
  reloadServers,
} from "../../../operations/configuration/reload-servers.js";
import { toSourceFailure } from "../../../operations/configuration/source-failure.js";
import {
  listTrustedFiles,
  revokeTrust,
  type TrustedFile,
  trustFiles,
} from "../../../operations/configuration/trust.js";
import { validateConfiguration } from "../../../operations/configuration/validate-configuration.js";
import { homeOf } from "../../../util/state-folder.js";
import { shortenHome } from "../../../util/home-path.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { failureLines } from "../failure.js";
import {
  BAD,
  blocks,
  bold,
  count,
  dim,
  GOOD,
  line,
  type Line,
  type LinePart,
  WARNING,
} from "../../../terminal/lines.js";
import { describeCliStep } from "../next-steps.js";
import { waitForAsking, engineCommand } from "../session.js";
import { agreedFiles, engineOptions, fileLines } from "../trust-files.js";

export const showConfig = engineCommand(async (engine, _input, context) => {
  const page = await describeConfiguration(engine);
  context.reply(page, () => configLines(page, homeOf(context.io.env)));
  const notices = count(page.notices.length, "notice");
  if (!context.isJson && page.notices.length > 0)
    context.warn(`The configuration has ${notices}. Run \`anygpt mcp config validate\` for details.`);
});

export const showSources = engineCommand(async (engine, _input, context) => {
  const page = await describeConfiguration(engine);
  const { file, origin, sources, absent, untrusted } = page;
  const data = { file, origin, sources: [...sources, ...absent], untrusted };
  context.reply(data, () => sourcesLines(page, homeOf(context.io.env)));
});

export const validateConfig = engineCommand(async (engine, _input, context) => {
  const found = await validateConfiguration(engine, { describe: describeCliStep });
  const { file, imported, servers, problems, untrusted, warnings } = found;
  const failure = toSourceFailure(problems);
  const error = failure === undefined ? {} : toErrorObject(failure, describeCliStep);
  const data = { valid: failure === undefined, file, servers, warnings: [...untrusted, ...warnings], ...error };
  const text = file === null ? (imported ?? "No configuration file is used.") : `${file} is valid.`;
  context.reply(data, () => [
    ...(failure === undefined ? [line(0, GOOD, ` ${text}`)] : []),
    ...warnings.map((warning) => line(0, WARNING, ` ${warning}`)),
  ]);
  if (failure !== undefined && !context.isJson) context.note(failureLines(failure));
  return failure === undefined ? 0 : failure.entry.exit;
});

export const reloadConfig = engineCommand(async (engine, _input, context) => {
  const { file, tools, servers } = await waitForAsking(context, (asking) => reloadServers(engine, asking));
  context.reply({ file, servers }, () => reloadLines({ file, tools, servers }));
});

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

function reloadLines({ servers, tools }: ReloadReport): Line[] {
  const answered = servers.filter(({ status }) => status !== "failed").length;
  return blocks([
    [line(0, GOOD, " Configuration reloaded.")],
    servers.flatMap(reloadedLines),
    [
      `Servers: ${servers.length} configured, ${answered} answered`,
      `Tools: ${tools.total} total, ${tools.enabled} enabled`,
    ],
    ["Running gateways apply the change within two seconds."],
  ]);
}

function reloadedLines({ server, status, tools, changes, reason }: ReloadedServer): Line[] {
  if (status === "failed") return [line(0, BAD, " ", bold(server), ": failed"), line(2, reason ?? "")];
  const what = status === "changed" ? count(changes.length, "change") : status;
  return [
    line(0, GOOD, " ", bold(server), `: ${what} (${count(tools, "tool")})`),
    ...changes.map(({ tool, kind, members }) =>
      line(2, `${SIGNS[kind]} ${tool} ${kind}${members === undefined ? "" : ` (${members.join(", ")})`}`),
    ),
  ];
}

export const trustConfig: Handler = async (input, context) => {
  const names = input.list("files");
  const options = engineOptions(context);
  if (input.flag("list")) replyTrusted(await listTrustedFiles(options), context);
  else if (input.flag("revoke")) replyRevoked(await revokeTrust(options, names), context);
  else {
    const isGiven = input.flag("yes");
    const { trusted, left } = await trustFiles(options, names, (files) =>
      agreedFiles(files, { isGiven, isNamed: names.length > 0 }, context),
    );
    const toJson = ({ kind, file, effects }: ProjectFile) => ({ kind, file, effects });
    context.reply({ trusted: trusted.map(toJson), left: left.map(toJson) }, () => trustedLines(trusted, left));
  }
};

function trustedLines(trusted: readonly ProjectFile[], left: readonly ProjectFile[]): Line[] {
  if (trusted.length + left.length === 0) return ["This folder contains no file that needs to be trusted."];
  const isAnyTrusted = trusted.length > 0;
  return blocks([
    trusted.flatMap((one) => fileLines(one, GOOD)),
    left.flatMap((one) => fileLines(one, WARNING)),
    [
      ...(isAnyTrusted
        ? ["The current content is trusted. If a file changes, it has to be trusted again."]
        : ["Nothing was trusted."]),
      ...(left.length > 0 ? ["A file marked with ! is not trusted. Name the file to trust it."] : []),
    ],
  ]);
}

const STATUS = {
  ok: { mark: GOOD, text: "" },
  changed: { mark: WARNING, text: " - changed since then, so it is not used" },
  missing: { mark: BAD, text: " - the file no longer exists" },
} as const;

function replyTrusted(trusted: readonly TrustedFile[], context: Context): void {
  context.reply({ trusted }, () => {
    if (trusted.length === 0) return ["No file is trusted."];
    return trusted.map(({ path, trustedAt, status }) => {
      const { mark, text } = STATUS[status];
      return line(0, mark, " ", bold(path), ` (${new Date(trustedAt).toISOString().slice(0, 10)})${text}`);
    });
  });
}

function replyRevoked(revoked: readonly string[], context: Context): void {
  context.reply({ revoked }, () => {
    if (revoked.length === 0) return ["No file in this folder was trusted."];
    return revoked.map((path) => line(0, GOOD, ` ${path} is no longer trusted.`));
  });
}

function configLines(page: ConfigPage, home: string): Line[] {
  const { enabled, cache, sources, toolRules, servers, tools } = page;
  return blocks([
    [line(0, bold("MCP Discovery Configuration"), ":")],
    [
      `File: ${page.file ?? withoutFile(page)}`,
      ...page.untrusted.map((file) => `Not trusted: ${file}`),
      `Status: ${enabled ? "Enabled" : "Disabled"}`,
      `Cache: ${cache.enabled ? `Enabled (TTL: ${cache.ttl}s)` : "Disabled"}`,
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
      sectionLine("Results", page.results),
      sectionLine("Upstreams", page.upstreams),
      policyLine(page.policy),
      `Audit: ${page.audit.enabled ? "Enabled" : "Disabled"}`,
      `Store: ${page.store}`,
    ],
    [
      `Servers: ${servers.configured} configured, ${servers.known} known`,
      ...servers.list.map((server) => configuredLine(server, page.file, home)),
      `Tools: ${tools.total} total, ${tools.enabled} enabled`,
    ],
  ]);
}

/** The heading of a section, such as `Sources (2):` or `Sources: none`. */
function headOf(name: string, amount: number, more = ""): Line {
  return line(0, amount === 0 && more === "" ? `${name}: none` : `${name} (${amount})${more}:`);
}

/** For `sources: all`, text such as `all clients: 22 servers from 4 clients`; otherwise empty. */
function allClientsText({ allClients, sources }: ConfigPage): string {
  if (allClients === "no") return "";
  const used = sources.filter(({ servers }) => servers > 0);
  const servers = used.reduce((sum, source) => sum + source.servers, 0);
  const why = allClients === "named" ? "all clients" : "all clients, by default";
  return ` - ${why}: ${count(servers, "server")} from ${count(new Set(used.map(({ type }) => type)).size, "client")}`;
}

function withoutFile({ origin }: ConfigPage): string {
  if (origin === "nested") return "none (not read, because another gateway started this one)";
  return origin === "defaults" ? "none (built-in defaults, and the servers of your MCP clients)" : "none";
}

function sectionLine(name: string, section: object): Line {
  const values = Object.entries(section).map(([key, value]) => `${key} ${valueText(value)}`);
  return `${name}: ${values.join(", ")}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(" ");
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value);
  return members.length === 0 ? "none" : members.map(([key, one]) => `${key}=${String(one)}`).join(" ");
}

function policyLine({ preset, confirmation: { mode, from }, pinning, entries }: ListedPolicy): Line {
  const confirmed = mode === "never" ? "confirmation never" : `confirmation ${mode} from ${from}`;
  const total = Object.values(entries).reduce((sum, amount) => sum + amount, 0);
  const lists = Object.entries(entries).filter(([, amount]) => amount > 0);
  const which = lists.map(([name, amount]) => `${name} ${amount}`).join(", ");
  const amount = total === 0 ? "no entries" : `${count(total, "entry", "entries")} (${which})`;
  return `Policy: preset ${preset}, ${confirmed}, pinning ${pinning}, ${amount}`;
}

function configuredLine(
  { name, kind, reach, ...place }: ConfiguredServerLine,
  ours: string | null,
  home: string,
): Line {
  return line(2, bold(name), `: ${kind} ${reach}`, ...placeParts(place, ours, home));
}

type Place = Pick<ConfiguredServerLine, "client" | "file" | "line">;

/** Where a server or rule is defined. The file is named only if it is not the configuration file itself. */
function placeParts({ client, file, line: row }: Place, ours: string | null, home: string): LinePart[] {
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
            ` no configuration file${page.origin === "defaults" ? ": the servers of your MCP clients are used" : ""}`,
          )
        : line(2, GOOD, ` ${file ?? "built-in defaults"}: ${count(servers.inline, "server")}`),
      ...sources.flatMap((source) => sourceDetails(source, home)),
      ...(absent.length === 0 ? [] : [line(2, dim("-"), ` not found: ${absent.map(({ type }) => type).join(", ")}`)]),
    ],
    foreign.size + own.length === 0 ? [] : ["Run `anygpt mcp config trust` to use the files of this project."],
  ]);
}

function sourceDetails(source: ListedSource, home: string): Line[] {
  const { status, servers, names = [], skipped = [] } = source;
  const isRead = status === "ok" || status === "partial" || servers > 0;
  const which = names.length === 0 ? "" : ` (${names.join(", ")})`;
  return [
    sourceLine(source, home, isRead ? `: ${count(servers, "server")}${which}` : ""),
    ...skipped.map(({ name, reason }) => line(6, dim(`${name} is not used: ${reason}`))),
  ];
}
