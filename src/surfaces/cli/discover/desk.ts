import type { Stages } from "../../../compose.js";
import { createVariables } from "../../../config/variables.js";
import type { DiscoverParts } from "../../../discover/discover.js";
import type { ServerDefinition } from "../../../model/server.js";
import { localActor } from "../../../model/actor.js";
import { claimFolder, keyFolder, toolFolders } from "../../../tool-files.js";
import { PROJECT_FOLDER } from "../../../toolfiles/options.js";
import { signerName } from "../../../toolfiles/keys/signer-name.js";
import { openKeys } from "../../../toolfiles/keys/open-keys.js";
import { absolutePath } from "../../../util/home-path.js";
import type { Input } from "../command.js";

/** What a discovery works with at this machine. */
export interface DiscoverDesk {
  readonly parts: DiscoverParts;
  readonly folder: string;
  /** The gateway reads the folder. */
  readonly isRead: boolean;
  readonly home: string;
  readonly cwd: string;
  /** The configured servers. */
  readonly servers: readonly ServerDefinition[];
}

export function openDesk({ loaded, collected, place, upstreams, books }: Stages, input: Input): DiscoverDesk {
  const { home, cwd, now } = place;
  // Whoever names an address and a variable here has this folder in mind.
  const variables = createVariables({ ...place, admits: () => true });
  const read = toolFolders(loaded, place);
  const given = input.text("folder");
  const folder = absolutePath(given ?? read[0] ?? PROJECT_FOLDER, { home, baseDir: cwd });
  return {
    folder,
    isRead: read.includes(folder),
    home,
    cwd,
    servers: collected.servers,
    parts: {
      upstreams,
      variables: {
        isSet: (name) => ["process", "file"].includes(variables.originOf(name).kind),
        resolve: (text, onValue) => variables.resolve(text, onValue),
      },
      keys: openKeys(keyFolder(place.stateFolder), now),
      keyName: signerName(),
      versions: books.store.toolFiles,
      note: async (act) => {
        const { id: by, surface } = localActor("cli");
        await books.note({ ...act, by, surface });
        await claimFolder(place, folder);
      },
      signatures: loaded.config.toolFiles.signatures,
      now,
    },
  };
}
