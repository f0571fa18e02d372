// Adds the tools of verified tool files to the configured servers.
import type { ServerConnection, FiledTool, ServerDefinition, VariableNeed } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import { isEqualJson } from "../util/json/is-equal.js";
import type { ToolFile } from "./format/tool-file.js";
import { BUILT_IN_SERVER } from "../model/built-in.js";

export interface FoundFile {
  readonly file: ToolFile;
  readonly path: string;
  readonly trust: { readonly kind: "signed" | "hash" };
}

/** A tool file that is not used, because another file describes the same tool. */
export interface DoubleFile {
  readonly path: string;
  readonly used: FoundFile;
}

export interface FiledServers {
  readonly servers: readonly ServerDefinition[];
  readonly doubles: readonly DoubleFile[];
  readonly notices: readonly string[];
}

/**
 * Returns all servers. If a server with the same name and the same address or command is also configured, the
 * configured connection is used, and the files define its tools.
 */
export function withFiles(known: readonly ServerDefinition[], files: readonly FoundFile[]): FiledServers {
  const servers = [...known];
  const notices: string[] = [];
  const doubles: DoubleFile[] = [];
  /** The files that define tools, by server name and tool name. */
  const used = new Map<string, Map<string, FoundFile>>();
  for (const group of groupsOf(files)) {
    const at = known.findIndex(({ name, connection }) => name === group.server && isSameConnection(connection, group));
    const live = servers[at];
    const name = live?.name ?? freeName(group.server, servers);
    const tools = used.get(name) ?? new Map<string, FoundFile>();
    used.set(name, tools);
    const fresh = group.files.filter((found) => {
      const first = tools.get(found.file.tool.name);
      if (first === undefined) tools.set(found.file.tool.name, found);
      else doubles.push({ path: found.path, used: first });
      return first === undefined;
    });
    const filed = fresh.map(toFiledTool);
    if (live !== undefined) {
      const manifest = withDefinitions(live.manifest, filed);
      servers[at] = { ...live, files: [...(live.files ?? []), ...filed], manifest };
      continue;
    }
    if (name !== group.server) {
      notices.push(
        `The tool files of ${group.server} define the server "${name}", because another server has that name.`,
      );
    }
    servers.push(toServer(name, group, filed));
  }
  const skipped = doubles.map(({ path, used: { file } }) => {
    return `${path} was skipped: another file also describes the tool ${file.server}:${file.tool.name}.`;
  });
  return { servers, doubles, notices: [...skipped, ...notices] };
}

interface Group {
  readonly server: string;
  readonly connection: ToolFile["connection"];
  readonly files: readonly FoundFile[];
}

/**
 * Groups files by server, connection and required variables. Each group becomes one server, so that a missing variable
 * affects only that group. Signed files come first, so that an unsigned file cannot take a tool or a server name from a
 * signed one.
 */
function groupsOf(files: readonly FoundFile[]): Group[] {
  const groups = new Map<string, { server: string; connection: ToolFile["connection"]; files: FoundFile[] }>();
  for (const found of files.toSorted(compareFiles)) {
    const { server, connection, needs } = found.file;
    const key = canonicalJson({ server, connection, needs });
    const group = groups.get(key) ?? { server, connection, files: [] };
    group.files.push(found);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function compareFiles(a: FoundFile, b: FoundFile): number {
  if (a.trust.kind !== b.trust.kind) return a.trust.kind === "signed" ? -1 : 1;
  return a.file.toolId < b.file.toolId ? -1 : 1;
}

function toFiledTool({ file: { toolId: id, tool: definition, timeoutMs, risk } }: FoundFile): FiledTool {
  return { id, definition, timeoutMs, ...(risk === undefined ? {} : { risk }) };
}

function withDefinitions(
  manifest: ServerDefinition["manifest"],
  tools: readonly FiledTool[],
): ServerDefinition["manifest"] {
  const filed = tools.map(({ definition }) => definition);
  const names = new Set(filed.map(({ name }) => name));
  return [...manifest.filter(({ name }) => !names.has(name)), ...filed];
}

function isSameConnection(configured: ServerConnection, { connection }: Group): boolean {
  if (connection.kind === "stdio") {
    if (configured.kind !== "stdio") return false;
    const { command, args } = configured;
    return isEqualJson([command, args], [connection.command, connection.args]);
  }
  if (configured.kind !== "http" && configured.kind !== "sse") return false;
  return plainAddress(configured.url) === plainAddress(connection.url);
}

function plainAddress(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, "");
}

function freeName(wanted: string, servers: readonly ServerDefinition[]): string {
  const taken = new Set([BUILT_IN_SERVER, ...servers.map(({ name }) => name)]);
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  return name;
}

function toServer(name: string, { connection, files }: Group, tools: readonly FiledTool[]): ServerDefinition {
  const [first] = files;
  return {
    name,
    connection,
    manifest: tools.map(({ definition }) => definition),
    files: tools,
    isFixed: true,
    needs: (first?.file.needs ?? []).map(toNeed),
    origin: first?.path ?? "",
  };
}

function toNeed({ name, description, required }: ToolFile["needs"][number]): VariableNeed {
  return { name, description, ...(required ? {} : { isOptional: true }) };
}
