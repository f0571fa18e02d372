import type { Config } from "../config/options.js";
import { BUILT_IN_SERVER } from "../model/built-in.js";
import type { ServerDefinition } from "../model/server.js";
import { CALL, DISCOVER, WRITE_TOOLS } from "./definitions.js";

/**
 * Returns the server entry of the built-in tools for the catalog. Returns an empty array if agents may not discover
 * servers or if a configured server has the same name.
 */
export function builtInServers(
  { enabled, toolFiles }: Config,
  others: readonly ServerDefinition[],
): ServerDefinition[] {
  const isEnabled = enabled && toolFiles.enabled && toolFiles.agents.discover;
  if (!isEnabled || others.some(({ name }) => name === BUILT_IN_SERVER)) return [];
  return [
    {
      name: BUILT_IN_SERVER,
      description: "The gateway itself: discover other MCP servers and add their tools.",
      connection: { kind: "built-in" },
      manifest: [DISCOVER, CALL, WRITE_TOOLS],
      isFixed: true,
      origin: "inline",
    },
  ];
}
