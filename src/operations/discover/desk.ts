import type { Stages } from "../../gateway/stages.js";
import { createVariables } from "../../config/variables.js";
import type { ServerDiscoveryParts } from "../../discover/discover.js";
import type { ServerDefinition } from "../../model/server.js";
import { localActor } from "../../model/actor.js";
import { claimFolder, keyFolder, toolFolders } from "../../gateway/tool-files.js";
import { PROJECT_FOLDER } from "../../toolfiles/options.js";
import { signerName } from "../../toolfiles/keys/signer-name.js";
import { openKeys } from "../../toolfiles/keys/open-keys.js";
import { absolutePath } from "../../util/home-path.js";

/** What the command `discover` uses: the folder for tool files, the signing keys and the configured servers. */
export interface DiscoverDesk {
  readonly parts: ServerDiscoveryParts;
  readonly folder: string;
  /** True if the gateway reads tool files from this folder. */
  readonly isRead: boolean;
  readonly home: string;
  readonly cwd: string;
  /** The configured servers. */
  readonly servers: readonly ServerDefinition[];
}

export function openDiscoverDesk(
  { loaded, configuredServers, runtime, upstreams, persistence }: Stages,
  requested?: string,
): DiscoverDesk {
  const { home, cwd, now } = runtime;
  // The user names the variables on the command line, so the variable files of this folder need no trust.
  const variables = createVariables({ ...runtime, admits: () => true });
  const configured = toolFolders(loaded, runtime);
  const folder = absolutePath(requested ?? configured[0] ?? PROJECT_FOLDER, { home, baseDir: cwd });
  return {
    folder,
    isRead: configured.includes(folder),
    home,
    cwd,
    servers: configuredServers.servers,
    parts: {
      upstreams,
      variables: {
        isSet: (name) => ["process", "file"].includes(variables.originOf(name).kind),
        resolve: (text, onValue) => variables.resolve(text, onValue),
      },
      keys: openKeys(keyFolder(runtime.stateFolder), now),
      keyName: signerName(),
      versions: persistence.store.toolFiles,
      note: async (act) => {
        const { id: by, surface } = localActor("cli");
        await persistence.note({ ...act, by, surface });
        await claimFolder(runtime, folder);
      },
      signatures: loaded.config.toolFiles.signatures,
      now,
    },
  };
}
