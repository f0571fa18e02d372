import type { DiscoveryError } from "../errors.js";
import type { FiledTool, ServerDefinition } from "../model/server.js";
import { type Tool, type ToolDefinition, type ToolFileFacts, toolId } from "../model/tool.js";
import { type Doubts, withheld } from "./quarantine.js";
import { withSigned } from "./signed.js";
import { hashDefinition, type ServerRecord } from "./record.js";

/** One consistent view of all servers and tools. Never changes; a new one replaces it. */
export interface Snapshot {
  readonly servers: ReadonlyMap<string, CatalogServer>;
  /** By id. The same map as long as no tool and no title of a server changes, so that what is built on it can be kept. */
  readonly tools: ReadonlyMap<string, Tool>;
}

export interface CatalogServer {
  readonly definition: ServerDefinition;
  /** What the server answered last, from disk or live. */
  readonly record: ServerRecord | undefined;
  /** Why it could not be asked the last time it was tried. */
  readonly failure: DiscoveryError | undefined;
  /** When and how often in a row that happened, and when it is asked again without being requested. */
  readonly retry?: { readonly failedAt: number; readonly count: number; readonly at: number } | undefined;
  /** Which of its tools are kept back, and why. */
  readonly doubts: Doubts;
  /** From its live list, else from the manifest in the configuration. */
  readonly tools: readonly Tool[];
}

/** What is learnt of a server over time. */
export type KnownOfServer = Pick<CatalogServer, "record" | "failure" | "retry" | "doubts">;

/** The gateway's own tools are found and called like all others, and belong to no server that anybody has. */
export function isOwn({ definition }: CatalogServer): boolean {
  return definition.connection.kind === "built-in";
}

/** The tools of all servers that somebody has. */
export function foreignTools({ servers }: Pick<Snapshot, "servers">): readonly Tool[] {
  return [...servers.values()].filter((server) => !isOwn(server)).flatMap(({ tools }) => tools);
}

/** What the rules say of one tool. */
export type DecideTool = (tool: { server: string; name: string }) => { enabled: boolean; tags: readonly string[] };

export function toCatalogServer(
  definition: ServerDefinition,
  { record, failure, retry, doubts: known }: KnownOfServer,
  decide: DecideTool,
): CatalogServer {
  const isRest = definition.connection.kind === "rest";
  const files = new Map(definition.files?.map((filed) => [filed.definition.name, filed]));
  const doubts = record === undefined ? known : withSigned(known, record.tools, files);
  const tools = definitionsOf(definition, record).map((tool) => {
    const made = toTool(definition.name, tool, doubts, decide);
    const filed = files.get(tool.name);
    if (filed !== undefined) Object.assign(made, { file: toFileFacts(filed) });
    return isRest && tool.operation !== undefined ? Object.assign(made, { operation: tool.operation }) : made;
  });
  return { definition, record, failure, retry, doubts: known, tools };
}

function toFileFacts({ id, timeoutMs, risk }: FiledTool): ToolFileFacts {
  return { id, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(risk === undefined ? {} : { risk }) };
}

/** What is shown of a server: what it said itself, else what the configuration says of it. */
export function definitionsOf(
  { manifest }: ServerDefinition,
  record: ServerRecord | undefined,
): readonly ToolDefinition[] {
  return record?.tools ?? manifest;
}

function toTool(server: string, definition: ToolDefinition, doubts: Doubts, decide: DecideTool): Tool {
  const { name } = definition;
  const { enabled, tags } = decide({ server, name });
  const quarantine = doubts.get(name);
  let hash: string | undefined;
  return {
    id: toolId(server, name),
    server,
    name,
    definition: quarantine === undefined ? definition : withheld(definition),
    // Hashing ten thousand definitions costs a start what few of them are ever asked for.
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
