// The gateway as a server of its own catalog: its tools, and what they work with when an agent calls one.
import type { Books } from "./books.js";
import type { LoadedConfig } from "./config/load.js";
import type { Config } from "./config/options.js";
import type { Variables } from "./config/variables.js";
import { CALL, DISCOVER, WRITE_TOOLS } from "./discover/agents/definitions.js";
import type { AgentDesk } from "./discover/agents/desk.js";
import { localActor } from "./model/actor.js";
import type { ServerDefinition } from "./model/server.js";
import type { Place } from "./place.js";
import type { FindTarget } from "./targets.js";
import { claimFolder, keyFolder, toolFolders } from "./tool-files.js";
import { signerName } from "./toolfiles/keys/signer-name.js";
import { OWN_SERVER } from "./toolfiles/own-server.js";
import type { OwnTool } from "./upstreams/own-tool.js";
import type { Upstreams } from "./upstreams/types.js";

/** None where agents may not discover anything, or where somebody's own server has the name. */
export function ownServers({ enabled, toolFiles }: Config, others: readonly ServerDefinition[]): ServerDefinition[] {
  const isWanted = enabled && toolFiles.enabled && toolFiles.agents.discover;
  if (!isWanted || others.some(({ name }) => name === OWN_SERVER)) return [];
  return [
    {
      name: OWN_SERVER,
      description: "The gateway itself: discover other MCP servers and add their tools.",
      connection: { kind: "built-in" },
      manifest: [DISCOVER, CALL, WRITE_TOOLS],
      isFixed: true,
      origin: "inline",
    },
  ];
}

/** What is in force when an agent calls. */
export interface OwnServerParts {
  readonly loaded: LoadedConfig;
  readonly place: Place;
  readonly variables: Variables;
  readonly books: Pick<Books, "store" | "note">;
  readonly collected: { readonly servers: readonly ServerDefinition[] };
  readonly target: FindTarget;
}

export async function openOwnTools(
  inForce: () => OwnServerParts,
  openUpstreams: () => Upstreams,
): Promise<readonly OwnTool[]> {
  const [{ createOwnTools }, { openKeys }] = await Promise.all([
    import("./discover/agents/own-tools.js"),
    import("./toolfiles/keys/open-keys.js"),
  ]);
  return createOwnTools((): AgentDesk => {
    const { loaded, place, variables, books, collected, target } = inForce();
    const { now, home, stateFolder } = place;
    const [folder] = toolFolders(loaded, place);
    return {
      agents: loaded.config.toolFiles.agents,
      folder,
      home,
      isSet: (name) => ["process", "file"].includes(variables.originOf(name).kind),
      addresses: async () => {
        const found = await Promise.all(collected.servers.map(({ name }) => addressOf(name, target)));
        return found.filter((address) => address !== undefined);
      },
      openUpstreams,
      keys: openKeys(keyFolder(stateFolder), now),
      keyName: signerName(),
      versions: books.store.toolFiles,
      note: async (act) => {
        const { id: by, surface } = localActor("mcp");
        await books.note({ ...act, by, surface });
        if (folder !== undefined) await claimFolder(place, folder);
      },
      signatures: loaded.config.toolFiles.signatures,
      now,
    };
  });
}

/** Undefined for what has no address, or lacks a variable of it. */
async function addressOf(server: string, target: FindTarget): Promise<{ server: string; url: string } | undefined> {
  try {
    const connection = target(server).written();
    if (connection.kind === "http" || connection.kind === "sse") return { server, url: connection.url };
    const url = connection.kind === "rest" ? connection.baseUrl : undefined;
    return url === undefined ? undefined : { server, url };
  } catch {
    return undefined;
  }
}
