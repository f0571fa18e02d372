import type { Client } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { isWithinDepth } from "../util/depth.js";
import { readHeaderArguments } from "./header-arguments.js";

const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;
const MAX_DEPTH = 64;
const KIB = 1024;
/** The largest definitions of known servers have about 30 KiB. */
const MAX_DEFINITION_BYTES = 256 * KIB;
/** The limit of one server's list, including what is left out: 10,000 tools of usual size. */
const MAX_LIST_BYTES = 16 * KIB * KIB;
const MAX_NAME_CHARACTERS = 512;
/** So many unusable definitions are reported one by one; the others only by their number. */
const MAX_DROPPED = 100;
const MAX_SHOWN_NAME = 100;
const MAX_INSTRUCTIONS = 64 * KIB;

export interface ToolPages {
  readonly tools: readonly ToolDefinition[];
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  readonly truncated: boolean;
}

/**
 * Reads a tool list to its last page, or to the limits. If a page fails, the whole list fails, because tools missing
 * from a partial list would look like removed tools.
 */
export async function readPages(page: (cursor: string | undefined) => Promise<JsonObject>): Promise<ToolPages> {
  const tools = new Map<string, ToolDefinition>();
  const dropped = createDropped();
  const seen = new Set<string>();
  const toPages = (truncated: boolean): ToolPages => ({
    tools: [...tools.values()],
    dropped: dropped.all(),
    truncated,
  });
  let cursor: string | undefined;
  let bytes = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { tools: items, ...rest } = await page(cursor);
    // The rest of the page counts too: it was read, and it could be as large as the tools.
    bytes += sizeOf(rest);
    for (const item of Array.isArray(items) ? items : []) {
      // Recursion into deeper data could exhaust the call stack.
      const isDeep = !isWithinDepth(item, MAX_DEPTH);
      const size = isDeep ? 0 : sizeOf(item);
      bytes += size;
      if (bytes > MAX_LIST_BYTES && size <= MAX_DEFINITION_BYTES) return toPages(true);
      const tool = isDeep ? `it is nested over ${MAX_DEPTH} levels deep` : toTool(item, size);
      if (typeof tool === "string") dropped.add(nameOf(item), tool);
      else if (tools.has(tool.name)) dropped.add(tool.name, "another tool has the same name");
      else if (tools.size === MAX_TOOLS) return toPages(true);
      else tools.set(tool.name, tool);
    }
    const next = rest["nextCursor"];
    // Some servers mark the last page with an empty cursor instead of none.
    if (typeof next !== "string" || next === "") return toPages(false);
    if (seen.has(next) || bytes > MAX_LIST_BYTES) break;
    seen.add(next);
    cursor = next;
  }
  return toPages(true);
}

/** The definitions that are left out, with a limited size. */
function createDropped(): { add(name: string, reason: string): void; all(): ToolPages["dropped"] } {
  const first: { name: string; reason: string }[] = [];
  let further = 0;
  return {
    add(name, reason) {
      if (first.length === MAX_DROPPED) further += 1;
      else first.push({ name: name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME - 1)}…` : name, reason });
    },
    all: () =>
      further === 0 ? first : [...first, { name: "", reason: `${further} further definitions cannot be used` }],
  };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** What the server says about itself, with a limited size: it is stored with the tool list. */
export function toServerInfo(
  client: Pick<Client, "getServerVersion" | "getInstructions">,
): Pick<ServerListing, "title" | "version" | "instructions"> {
  const { title, version } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    ...(title === undefined ? {} : { title: title.slice(0, MAX_NAME_CHARACTERS) }),
    ...(version === undefined ? {} : { version: version.slice(0, MAX_NAME_CHARACTERS) }),
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, MAX_INSTRUCTIONS) }),
  };
}

/**
 * Removes tools whose header declarations are invalid: a client that sends arguments as headers must not use them (MCP
 * 2026-07-28).
 */
export function withoutInvalidHeaders({ tools, dropped, truncated }: ToolPages): ToolPages {
  const read = tools.map((tool) => ({ tool, headers: readHeaderArguments(tool.inputSchema) }));
  return {
    tools: read.flatMap(({ tool, headers }) => (headers.kind === "valid" ? [tool] : [])),
    dropped: [
      ...dropped,
      ...read.flatMap(({ tool, headers }) =>
        headers.kind === "invalid" ? [{ name: tool.name, reason: headers.reason }] : [],
      ),
    ],
    truncated,
  };
}

/**
 * The tool definition, or the reason why it cannot be used. A missing input schema means "no parameters"; an input
 * schema that is not an object is an error.
 */
function toTool(item: unknown, size: number): ToolDefinition | string {
  if (!isJsonObject(item)) return "it is not an object";
  if (typeof item["name"] !== "string" || item["name"] === "") return "it has no name";
  if (item["name"].length > MAX_NAME_CHARACTERS) return `its name has over ${MAX_NAME_CHARACTERS} characters`;
  if (size > MAX_DEFINITION_BYTES) return `its definition has over ${MAX_DEFINITION_BYTES / KIB} KiB`;
  const inputSchema = item["inputSchema"] === undefined ? { type: "object" } : item["inputSchema"];
  if (!isJsonObject(inputSchema)) return "its inputSchema is not an object";
  for (const member of ["outputSchema", "annotations"]) {
    if (item[member] !== undefined && !isJsonObject(item[member])) return `its ${member} is not an object`;
  }
  for (const member of ["title", "description"]) {
    if (item[member] !== undefined && typeof item[member] !== "string") return `its ${member} is not text`;
  }
  return { ...item, name: item["name"], inputSchema };
}

function nameOf(item: unknown): string {
  return isJsonObject(item) && typeof item["name"] === "string" ? item["name"] : "";
}
