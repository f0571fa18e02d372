// Creates the built-in tools. Each call of a built-in tool uses the configuration that is current at that moment.
import type { BuiltInContext } from "../built-in/context.js";
import type { LoadedConfig } from "../config/load.js";
import type { Variables } from "../config/variables.js";
import { localActor } from "../model/actor.js";
import type { BuiltInTool } from "../model/built-in.js";
import type { ServerDefinition } from "../model/server.js";
import { signerName } from "../toolfiles/keys/signer-name.js";
import type { Upstreams } from "../upstreams/types.js";
import type { ResolveConnection } from "./connections/connection-resolver.js";
import type { Persistence } from "./persistence.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import { claimFolder, keyFolder, toolFolders } from "./tool-files.js";

/** The components of the current configuration that the built-in tools use. */
export interface BuiltInParts {
  readonly loaded: LoadedConfig;
  readonly runtime: RuntimeEnvironment;
  readonly variables: Variables;
  readonly persistence: Pick<Persistence, "store" | "note">;
  readonly configuredServers: { readonly servers: readonly ServerDefinition[] };
  readonly resolveConnection: ResolveConnection;
}

export async function openBuiltInTools(
  current: () => BuiltInParts,
  openUpstreams: () => Upstreams,
): Promise<readonly BuiltInTool[]> {
  const [{ createBuiltInTools }, { openKeys }] = await Promise.all([
    import("../built-in/tools.js"),
    import("../toolfiles/keys/open-keys.js"),
  ]);
  return createBuiltInTools((): BuiltInContext => {
    const { loaded, runtime, variables, persistence, configuredServers, resolveConnection } = current();
    const { now, home, stateFolder } = runtime;
    const [folder] = toolFolders(loaded, runtime);
    return {
      agents: loaded.config.toolFiles.agents,
      folder,
      home,
      isSet: (name) => ["process", "file"].includes(variables.originOf(name).kind),
      addresses: async () => {
        const found = await Promise.all(
          configuredServers.servers.map(({ name }) => addressOf(name, resolveConnection)),
        );
        return found.filter((address) => address !== undefined);
      },
      openUpstreams,
      keys: openKeys(keyFolder(stateFolder), now),
      keyName: signerName(),
      versions: persistence.store.toolFiles,
      note: async (act) => {
        const { id: by, surface } = localActor("mcp");
        await persistence.note({ ...act, by, surface });
        if (folder !== undefined) await claimFolder(runtime, folder);
      },
      signatures: loaded.config.toolFiles.signatures,
      now,
    };
  });
}

/**
 * Returns the name and the URL of a server; undefined if the server has no URL or if a variable in its connection is
 * not set.
 */
async function addressOf(
  server: string,
  resolveConnection: ResolveConnection,
): Promise<{ server: string; url: string } | undefined> {
  try {
    const connection = resolveConnection(server).withoutSecrets();
    if (connection.kind === "http" || connection.kind === "sse") return { server, url: connection.url };
    const url = connection.kind === "rest" ? connection.baseUrl : undefined;
    return url === undefined ? undefined : { server, url };
  } catch {
    return undefined;
  }
}
