// Verified tool files and the servers that are configured anyway come in; the servers that both amount to go out.
import type { Connection, FiledTool, ServerDefinition, VariableNeed } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import type { ToolFile } from "./format/tool-file.js";
import { OWN_SERVER } from "./own-server.js";

export interface FoundFile {
  readonly file: ToolFile;
  readonly path: string;
}

export interface FiledServers {
  readonly servers: readonly ServerDefinition[];
  readonly notices: readonly string[];
}

/** A server that is configured too keeps its connection, and its files say what its tools have to be. */
export function withFiles(known: readonly ServerDefinition[], files: readonly FoundFile[]): FiledServers {
  const servers = [...known];
  const notices: string[] = [];
  for (const group of groupsOf(files)) {
    const { tools, doubles } = toTools(group.files);
    for (const { path, file } of doubles) {
      notices.push(`${path} was left out: another file is about ${file.tool.name} of ${file.server} too.`);
    }
    const at = known.findIndex(({ name, connection }) => name === group.server && isSamePlace(connection, group));
    const live = servers[at];
    if (live !== undefined) {
      const filed = [...(live.files ?? []), ...tools];
      servers[at] = { ...live, files: filed, manifest: withDefinitions(live.manifest, tools) };
      continue;
    }
    const name = freeName(group.server, servers);
    if (name !== group.server) {
      notices.push(`The tool files of ${group.server} are the server "${name}": another one has their name.`);
    }
    servers.push(toServer(name, group, tools));
  }
  return { servers, notices };
}

interface Group {
  readonly server: string;
  readonly connection: ToolFile["connection"];
  readonly files: readonly FoundFile[];
}

/** What is reached in the same way is one server, and what lacks a variable is not the others' concern. */
function groupsOf(files: readonly FoundFile[]): Group[] {
  const groups = new Map<string, { server: string; connection: ToolFile["connection"]; files: FoundFile[] }>();
  for (const found of files.toSorted((a, b) => (a.file.toolId < b.file.toolId ? -1 : 1))) {
    const { server, connection, needs } = found.file;
    const key = canonicalJson({ server, connection, needs });
    const group = groups.get(key) ?? { server, connection, files: [] };
    group.files.push(found);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function toTools(files: readonly FoundFile[]): { tools: FiledTool[]; doubles: FoundFile[] } {
  const tools = new Map<string, FiledTool>();
  const doubles: FoundFile[] = [];
  for (const found of files) {
    const { toolId: id, tool: definition, timeoutMs, risk } = found.file;
    if (tools.has(definition.name)) doubles.push(found);
    else tools.set(definition.name, { id, definition, timeoutMs, ...(risk === undefined ? {} : { risk }) });
  }
  return { tools: [...tools.values()], doubles };
}

function withDefinitions(
  manifest: ServerDefinition["manifest"],
  tools: readonly FiledTool[],
): ServerDefinition["manifest"] {
  const filed = tools.map(({ definition }) => definition);
  const names = new Set(filed.map(({ name }) => name));
  return [...manifest.filter(({ name }) => !names.has(name)), ...filed];
}

function isSamePlace(configured: Connection, { connection }: Group): boolean {
  if (connection.kind === "stdio") {
    if (configured.kind !== "stdio") return false;
    const { command, args } = configured;
    return canonicalJson([command, args]) === canonicalJson([connection.command, connection.args]);
  }
  if (configured.kind !== "http" && configured.kind !== "sse") return false;
  return plainAddress(configured.url) === plainAddress(connection.url);
}

function plainAddress(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, "");
}

function freeName(wanted: string, servers: readonly ServerDefinition[]): string {
  const taken = new Set([OWN_SERVER, ...servers.map(({ name }) => name)]);
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
