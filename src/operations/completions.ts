// Completes names on the command line, such as servers and tools, for a shell. Starts no server.
import { basename } from "node:path";
import type { DiscoveryEngine } from "../engine.js";
import type { OpenOptions } from "../gateway/engine-options.js";
import { CLIENT_IDS } from "../sources/options.js";
import { openCatalog } from "./open-catalog.js";
import { openSigningKeys } from "./toolfiles/keys.js";

/**
 * The kind of name to complete. `own-server`: a server that the configuration itself lists, not one from an MCP
 * client's file. `target`: a server, or `SERVER:TOOL`.
 */
export type CompletionSource =
  | "server"
  | "own-server"
  | "disabled-server"
  | "adapter"
  | "tool"
  | "target"
  | "approval"
  | "tool-file"
  | "key"
  | "client"
  | "file";

export interface CompletionRequest {
  readonly options: OpenOptions;
  readonly withEngine: <T>(use: (engine: DiscoveryEngine) => Promise<T>) => Promise<T>;
  /** The beginning of the word to complete. */
  readonly typed: string;
  /** The words before the word to complete, without options. */
  readonly operands: readonly string[];
}

export async function completionsOf(source: CompletionSource, request: CompletionRequest): Promise<string[]> {
  const { options, withEngine, typed, operands } = request;
  if (source === "file") return [];
  if (source === "client") return [...CLIENT_IDS, "all"];
  if (source === "key") return (await openSigningKeys(options).keys.list()).keys.map(({ keyId }) => keyId);
  return await withEngine(async (engine) => {
    const { config, configuredServers, confirmations } = await engine.stages();
    switch (source) {
      case "server":
        return names(configuredServers.servers);
      case "own-server":
        return names(config.servers);
      case "disabled-server":
        return names(config.servers.filter(({ enabled }) => !enabled));
      case "adapter":
        return names(config.adapters);
      case "approval":
        return (await confirmations.list()).map(({ id }) => id);
      case "tool-file": {
        // Includes rejected files, because `sign` is a way to fix them.
        const { files, refused } = configuredServers.toolFiles;
        return [...files, ...refused].map(({ path }) => basename(path, ".yaml"));
      }
      case "tool":
        // The words after the tool are its arguments, which are not completed.
        return operands.length === 1 ? await toolNames(operands[0] ?? "", engine) : [];
      case "target": {
        const end = typed.lastIndexOf(":");
        if (end === -1) return names(configuredServers.servers);
        const server = typed.slice(0, end);
        return (await toolNames(server, engine)).map((tool) => `${server}:${tool}`);
      }
    }
  });
}

function names(entries: readonly { readonly name: string }[]): string[] {
  return entries.map(({ name }) => name);
}

async function toolNames(server: string, engine: DiscoveryEngine): Promise<string[]> {
  const { snapshot } = await openCatalog(engine);
  return names(
    snapshot()
      .servers.get(server)
      ?.tools.filter(({ enabled }) => enabled) ?? [],
  );
}
