import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";
import { isWithinDepth } from "../util/depth.js";
import { readHeaderArguments } from "./header-arguments.js";

const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;
const MAX_DEPTH = 64;

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
  const dropped: { name: string; reason: string }[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const result = await page(cursor);
    for (const item of Array.isArray(result["tools"]) ? result["tools"] : []) {
      const tool = toTool(item);
      if (typeof tool === "string") dropped.push({ name: nameOf(item), reason: tool });
      else if (tools.has(tool.name)) dropped.push({ name: tool.name, reason: "another tool has the same name" });
      else if (tools.size === MAX_TOOLS) return { tools: [...tools.values()], dropped, truncated: true };
      else tools.set(tool.name, tool);
    }
    const next = result["nextCursor"];
    // Some servers mark the last page with an empty cursor instead of none.
    if (typeof next !== "string" || next === "") return { tools: [...tools.values()], dropped, truncated: false };
    if (seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return { tools: [...tools.values()], dropped, truncated: true };
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
function toTool(item: unknown): ToolDefinition | string {
  if (!isJsonObject(item)) return "it is not an object";
  // Recursion into deeper data could exhaust the call stack.
  if (!isWithinDepth(item, MAX_DEPTH)) return `it is nested over ${MAX_DEPTH} levels deep`;
  if (typeof item["name"] !== "string" || item["name"] === "") return "it has no name";
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
