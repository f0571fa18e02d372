// Full mode: lists every enabled tool of all servers under an alias that all clients accept, and sends calls of these
// tools to the executor. The MCP surface sends the list to clients.
import { type CatalogServer, isBuiltIn, type Snapshot } from "../catalog/snapshot.js";
import { DiscoveryError } from "../errors.js";
import type { Execute } from "../executor/execute.js";
import { BUILT_IN_SERVER, READ_RESULT } from "../model/built-in.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { idempotencyKeyOf } from "./call-key.js";
import { withBoundedTexts } from "../util/bounded-texts.js";
import { withoutHiddenTexts } from "./without-hidden-texts.js";
import { toAliases } from "./full-mode-alias.js";
import type { MetaTool } from "./meta-tool.js";

export interface FullModeParts {
  readonly snapshot: () => Snapshot;
  readonly execute: Execute;
  /**
   * Whether the results of a tool have a budget. Such a tool is listed without its output schema: a shortened result has
   * no structured content, and clients reject results that do not match the schema.
   */
  readonly hasBudget: (tool: Tool) => boolean;
}

/**
 * A tool in full mode: the definition that the server sent, with the alias as its name and a root schema of type
 * "object".
 */
export type ListedTool = JsonObject & { readonly name: string };

export interface ListedPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string;
}

export interface FullMode {
  /**
   * Returns all tools, sorted by name. Returns the same array until a tool changes, so that a caller can detect a
   * change by comparing references.
   */
  tools(): readonly ListedTool[];
  /** Returns one page of the tools. Throws INVALID_REQUEST for a cursor that the gateway did not issue. */
  page(cursor?: string): ListedPage;
  find(name: string): MetaTool | undefined;
}

interface Listing {
  readonly tools: Snapshot["tools"];
  readonly isAlone: boolean;
  readonly byAlias: ReadonlyMap<string, Tool>;
  readonly listed: readonly ListedTool[];
  /** The alias of `anygpt:read_result`, which is only listed if a result can exceed a budget. */
  readonly reading: string;
}

export function createFullMode({ snapshot, execute, hasBudget }: FullModeParts): FullMode {
  let known: Listing | undefined;
  const listing = (): Listing => {
    const { tools, servers } = snapshot();
    const builtIn = [...servers.values()].filter(isBuiltIn);
    const isAlone = servers.size - builtIn.length === 1;
    if (known?.tools !== tools || known.isAlone !== isAlone) known = toListing({ tools, isAlone, builtIn, hasBudget });
    return known;
  };
  return {
    tools: () => listing().listed,
    page: (cursor) => toPage(listing().listed, cursor),
    find(name) {
      const tool = listing().byAlias.get(name);
      return tool === undefined ? undefined : toMetaTool(name, tool, { execute, reading: listing().reading });
    },
  };
}

interface ListingParts extends Pick<Listing, "tools" | "isAlone">, Pick<FullModeParts, "hasBudget"> {
  readonly builtIn: readonly CatalogServer[];
}

function toListing({ tools, isAlone, builtIn, hasBudget }: ListingParts): Listing {
  const isBuiltInTool = (tool: Tool): boolean => builtIn.some(({ definition }) => definition.name === tool.server);
  const enabled = [...tools.values()].filter((tool) => tool.enabled && !isBuiltInTool(tool));
  const aliases = toAliases(enabled, isAlone);
  const reading = aliases.has(READ_RESULT.name) ? `${BUILT_IN_SERVER}__${READ_RESULT.name}` : READ_RESULT.name;
  const byAlias = enabled.some(hasBudget) ? new Map(aliases).set(reading, READ_RESULT) : aliases;
  const listed = [...byAlias]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([alias, tool]): ListedTool => toListedTool(alias, tool, hasBudget(tool)));
  return { tools, isAlone, byAlias, listed, reading };
}

function toListedTool(alias: string, { definition, operation }: Tool, hasBudget: boolean): ListedTool {
  const listed: ListedTool = { ...definition, name: alias, inputSchema: toObjectSchema(definition.inputSchema) };
  // Clients do not need to know how the gateway calls the REST API behind a tool.
  if (operation !== undefined) delete listed["operation"];
  if (hasBudget) delete listed["outputSchema"];
  return withoutHiddenTexts(withBoundedTexts(listed));
}

/**
 * Sets the type of the root schema to "object". Clients reject the whole tool list if one root schema has another type,
 * and arguments are always an object.
 */
function toObjectSchema(schema: JsonObject): JsonObject {
  return schema["type"] === "object" ? schema : { ...schema, type: "object" };
}

/** The maximum number of tools on a page. Pages are large because many clients only read the first page. */
const MAX_TOOLS = 1_000;
const MAX_CHARACTERS = 4_000_000;

function toPage(listed: readonly ListedTool[], cursor: string | undefined): ListedPage {
  const start = cursor === undefined ? 0 : startAfter(listed, parseCursor(cursor));
  let size = 0;
  let end = start;
  while (end < listed.length && end - start < MAX_TOOLS) {
    size += JSON.stringify(listed[end]).length;
    if (size > MAX_CHARACTERS && end > start) break;
    end += 1;
  }
  const last = listed[end - 1];
  const tools = listed.slice(start, end);
  return end < listed.length && last !== undefined ? { tools, nextCursor: toCursor(last.name) } : { tools };
}

/**
 * Returns the cursor for the next page. It contains the name of the last tool on this page, so that no tool is skipped
 * if the list changes in between.
 */
function toCursor(name: string): string {
  return Buffer.from(`after ${name}`).toString("base64url");
}

function parseCursor(cursor: string): string {
  const [, name] = /^after ([A-Za-z0-9_-]{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (name !== undefined && toCursor(name) === cursor) return name;
  throw new DiscoveryError("INVALID_REQUEST", "The cursor was not issued by this gateway.", {
    hint: "Request the first page without a cursor, and continue from there.",
  });
}

function startAfter(listed: readonly ListedTool[], name: string): number {
  let [low, high] = [0, listed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((listed[middle]?.name ?? "") <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface FullModeCalls {
  readonly execute: Execute;
  readonly reading: string;
}

function toMetaTool(alias: string, tool: Tool, { execute, reading }: FullModeCalls): MetaTool {
  const { definition } = tool;
  return {
    name: alias,
    description: definition.description ?? definition.title ?? "",
    inputSchema: definition.inputSchema,
    readOnly: definition.annotations?.["readOnlyHint"] === true,
    async run(args, context) {
      const { server, name } = tool;
      const idempotencyKey = idempotencyKeyOf(context.meta, undefined, alias);
      const describeReading = (request: JsonObject): string => `${reading} ${JSON.stringify(request)}`;
      const call = { context, server, tool: name, arguments: args ?? {}, idempotencyKey, describeReading };
      const result = await execute(call);
      return { kind: "result", result };
    },
  };
}
