// The catalog comes in, every tool that anybody may use goes out as one of the gateway's own, under a name that all
// clients take. Calls go through the executor; how lists reach a client is not known here.
import { type CatalogServer, isOwn, type Snapshot } from "../catalog/snapshot.js";
import { DiscoveryError } from "../errors.js";
import type { Execute } from "../executor/execute.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { takeKey } from "./call-key.js";
import { toAliases } from "./full-mode-alias.js";
import type { MetaTool } from "./meta-tool.js";

export interface FullModeParts {
  readonly snapshot: () => Snapshot;
  readonly execute: Execute;
}

/** A tool's definition as its server gave it, but for the name and what no client could read. */
export type ListedTool = JsonObject & { readonly name: string };

export interface ListedPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string;
}

export interface FullMode {
  /** By name. The same array as long as no tool changes: whoever has told a client of another tells it that the list changed. */
  tools(): readonly ListedTool[];
  /** INVALID_REQUEST for a cursor that is none of ours. */
  page(cursor?: string): ListedPage;
  find(name: string): MetaTool | undefined;
}

interface Listing {
  readonly tools: Snapshot["tools"];
  readonly isAlone: boolean;
  readonly byAlias: ReadonlyMap<string, Tool>;
  readonly listed: readonly ListedTool[];
}

export function createFullMode({ snapshot, execute }: FullModeParts): FullMode {
  let known: Listing | undefined;
  const listing = (): Listing => {
    const { tools, servers } = snapshot();
    const own = [...servers.values()].filter(isOwn);
    const isAlone = servers.size - own.length === 1;
    if (known?.tools !== tools || known.isAlone !== isAlone) known = toListing(tools, isAlone, own);
    return known;
  };
  return {
    tools: () => listing().listed,
    page: (cursor) => toPage(listing().listed, cursor),
    find(name) {
      const tool = listing().byAlias.get(name);
      return tool === undefined ? undefined : toMetaTool(name, tool, execute);
    },
  };
}

function toListing(tools: Snapshot["tools"], isAlone: boolean, own: readonly CatalogServer[]): Listing {
  const isOwnTool = (tool: Tool): boolean => own.some(({ definition }) => definition.name === tool.server);
  const enabled = [...tools.values()].filter((tool) => tool.enabled && !isOwnTool(tool));
  const byAlias = toAliases(enabled, isAlone);
  const listed = [...byAlias]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([alias, { definition, operation }]): ListedTool => {
      // How a REST API is called is our business.
      const { operation: _own, ...told } = definition;
      const inputSchema = toObjectSchema(definition.inputSchema);
      return { ...(operation === undefined ? definition : told), name: alias, inputSchema };
    });
  return { tools, isAlone, byAlias, listed };
}

/** Clients give up the whole list for one tool whose root is not said to be an object. Arguments are one anyway. */
function toObjectSchema(schema: JsonObject): JsonObject {
  return schema["type"] === "object" ? schema : { ...schema, type: "object" };
}

/** Many clients read one page only: as much as a message can well hold. */
const MOST_TOOLS = 1_000;
const MOST_CHARACTERS = 4_000_000;

function toPage(listed: readonly ListedTool[], cursor: string | undefined): ListedPage {
  const start = cursor === undefined ? 0 : placeAfter(listed, parseCursor(cursor));
  let size = 0;
  let end = start;
  while (end < listed.length && end - start < MOST_TOOLS) {
    size += JSON.stringify(listed[end]).length;
    if (size > MOST_CHARACTERS && end > start) break;
    end += 1;
  }
  const last = listed[end - 1];
  const tools = listed.slice(start, end);
  return end < listed.length && last !== undefined ? { tools, nextCursor: toCursor(last.name) } : { tools };
}

/** A cursor names the last tool that was read, so that none is left out when the list changes meanwhile. */
function toCursor(name: string): string {
  return Buffer.from(`after ${name}`).toString("base64url");
}

function parseCursor(cursor: string): string {
  const [, name] = /^after ([A-Za-z0-9_-]{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (name !== undefined && toCursor(name) === cursor) return name;
  throw new DiscoveryError("INVALID_REQUEST", "The cursor is none that this gateway gave out.", {
    hint: "Ask for the first page, without a cursor, and go on from there.",
  });
}

function placeAfter(listed: readonly ListedTool[], name: string): number {
  let [low, high] = [0, listed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((listed[middle]?.name ?? "") <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toMetaTool(alias: string, tool: Tool, execute: Execute): MetaTool {
  const { definition } = tool;
  return {
    name: alias,
    description: definition.description ?? definition.title ?? "",
    inputSchema: definition.inputSchema,
    readOnly: definition.annotations?.["readOnlyHint"] === true,
    async run(args, { signal, meta, ...caller }) {
      const call = {
        ...caller,
        server: tool.server,
        tool: tool.name,
        arguments: args ?? {},
        ...takeKey(meta, undefined, alias),
      };
      try {
        return { kind: "result", result: await execute(call, signal) };
      } catch (error) {
        throw toTransparent(error);
      }
    },
  };
}

/** A tool that is called by its own name takes no options of ours: what they would say has another way. */
function toTransparent(error: unknown): unknown {
  if (!(error instanceof DiscoveryError)) return error;
  const id = error.facts["approval_id"];
  if (error.code === "CONFIRMATION_REQUIRED" && typeof id === "string") {
    return withHint(
      error,
      `Ask your person to look at it with "anygpt mcp approve ${id}", then repeat the same call unchanged.`,
    );
  }
  if (error.code === "IDEMPOTENCY_REQUIRED") {
    return withHint(
      error,
      'The client has to send a key in _meta["anygpt/idempotencyKey"], the same for a repetition.',
    );
  }
  return error;
}

function withHint(error: DiscoveryError, hint: string): DiscoveryError {
  const { code, message, server, tool, executed, cause, facts } = error;
  return new DiscoveryError(code, message, { hint, server, tool, executed, cause, facts });
}
