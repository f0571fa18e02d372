import { toDiscoveryError } from "../errors.js";
import type { Discovery } from "./discovery.js";
import { filterTools } from "./list-tools.js";
import { type ToolMetadata, toToolMetadata } from "./metadata.js";

export interface ListMetadataOptions {
  readonly query?: string;
  readonly includeDisabled?: boolean;
}

/** Describes the tools of a server for a program. `true` stands for the option `includeDisabled`. */
export async function listToolMetadata(
  discovery: Discovery,
  server: string,
  options: boolean | ListMetadataOptions,
): Promise<ToolMetadata[]> {
  const { includeDisabled = false, query } = typeof options === "boolean" ? { includeDisabled: options } : options;
  const { tools } = await discovery.server(server);
  const found = await filterTools({ server, tools, query, includeDisabled }, discovery);
  return found.tools.map((tool) => toToolMetadata(tool, tools));
}

/** Describes one tool for a program. Resolves to `null` if the server or the tool does not exist. */
export async function findToolMetadata(
  discovery: Discovery,
  server: string,
  tool: string,
): Promise<ToolMetadata | null> {
  try {
    const found = await discovery.tool(server, tool);
    return toToolMetadata(found, (await discovery.server(server)).tools);
  } catch (error) {
    const { code } = toDiscoveryError(error);
    if (code === "SERVER_NOT_FOUND" || code === "TOOL_NOT_FOUND") return null;
    throw error;
  }
}
