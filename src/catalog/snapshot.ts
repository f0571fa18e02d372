import type { DiscoveryError } from "../errors.js";
import type { FiledTool, ServerDefinition } from "../model/server.js";
import { type Tool, type ToolDefinition, type ToolFileFacts, toolId } from "../model/tool.js";
import { type Quarantines, toPlaceholder } from "./quarantine.js";
import { withSigned } from "./signed.js";
import { hashDefinition, type ServerRecord } from "./record.js";

/** One consistent view of all servers and tools. Never changes; a new one replaces it. */
export interface Snapshot {
  readonly servers: ReadonlyMap<string, CatalogServer>;
  /**
   * All tools by id. The map object stays the same until a tool or a server title changes, so that derived data can be
   * cached.
   */
  readonly tools: ReadonlyMap<string, Tool>;
}

export interface CatalogServer {
  readonly definition: ServerDefinition;
  /** The server's last tool list, read from disk or received from the server; undefined if there is none. */
  readonly record: ServerRecord | undefined;
  /** The error of the last request for the tool list; undefined if it succeeded. */
  readonly failure: DiscoveryError | undefined;
  /** The time of the last failure, the number of consecutive failures, and the time of the next automatic attempt. */
  readonly retry?: { readonly failedAt: number; readonly count: number; readonly at: number } | undefined;
  /** The quarantined tools by name, with the reasons. */
  readonly quarantines: Quarantines;
  /** The tools in the server's last tool list; if there is none, those of the manifest in the configuration. */
  readonly tools: readonly Tool[];
}

/** The part of a server's catalog entry that changes over time. */
export type ServerState = Pick<CatalogServer, "record" | "failure" | "retry" | "quarantines">;

/** Whether this is the built-in server, whose tools are found and called like all others. */
export function isBuiltIn({ definition }: CatalogServer): boolean {
  return definition.connection.kind === "built-in";
}

/** The tools of all servers except the built-in one. */
export function foreignTools({ servers }: Pick<Snapshot, "servers">): readonly Tool[] {
  return [...servers.values()].filter((server) => !isBuiltIn(server)).flatMap(({ tools }) => tools);
}

/** Evaluates the tool rules of the configuration for one tool. */
export type DecideTool = (tool: { server: string; name: string }) => { enabled: boolean; tags: readonly string[] };

export function toCatalogServer(
  definition: ServerDefinition,
  { record, failure, retry, quarantines: known }: ServerState,
  decide: DecideTool,
): CatalogServer {
  const isRest = definition.connection.kind === "rest";
  const files = new Map(definition.files?.map((filed) => [filed.definition.name, filed]));
  const quarantines = record === undefined ? known : withSigned(known, record.tools, files);
  const tools = definitionsOf(definition, record).map((tool) => {
    const made = toTool(definition.name, tool, quarantines, decide);
    const filed = files.get(tool.name);
    if (filed !== undefined) Object.assign(made, { file: toFileFacts(filed) });
    return isRest && tool.operation !== undefined ? Object.assign(made, { operation: tool.operation }) : made;
  });
  return { definition, record, failure, retry, quarantines: known, tools };
}

function toFileFacts({ id, timeoutMs, risk }: FiledTool): ToolFileFacts {
  return { id, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(risk === undefined ? {} : { risk }) };
}

/** The tool definitions to show: the server's own list, otherwise the manifest in the configuration. */
export function definitionsOf(
  { manifest }: ServerDefinition,
  record: ServerRecord | undefined,
): readonly ToolDefinition[] {
  return record?.tools ?? manifest;
}

function toTool(server: string, definition: ToolDefinition, quarantines: Quarantines, decide: DecideTool): Tool {
  const { name } = definition;
  const { enabled, tags } = decide({ server, name });
  const quarantine = quarantines.get(name);
  let hash: string | undefined;
  return {
    id: toolId(server, name),
    server,
    name,
    definition: quarantine === undefined ? definition : toPlaceholder(definition),
    // Computed on demand: hashing ten thousand definitions would slow down the start, and few hashes are needed.
    get hash() {
      hash ??= hashDefinition(definition);
      return hash;
    },
    enabled: enabled && quarantine === undefined,
    tags,
    ...(quarantine === undefined ? {} : { quarantine }),
  };
}

export function toSnapshot(servers: readonly CatalogServer[], previous?: Snapshot): Snapshot {
  const byName = new Map(servers.map((server) => [server.definition.name, server]));
  const isSame =
    previous !== undefined &&
    previous.servers.size === servers.length &&
    servers.every((server) => hasSameTools(server, previous));
  return { servers: byName, tools: isSame ? previous.tools : toToolMap(servers) };
}

function hasSameTools({ definition, tools }: CatalogServer, previous: Snapshot): boolean {
  return previous.servers.get(definition.name)?.tools === tools;
}

function toToolMap(servers: readonly CatalogServer[]): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const server of servers) for (const tool of server.tools) tools.set(tool.id, tool);
  return tools;
}
