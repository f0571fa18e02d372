// A configuration and a place come in; the tool files that hold there go out, and the servers with them among the others.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadedConfig } from "./config/load.js";
import type { ServerDefinition } from "./model/server.js";
import type { Place } from "./place.js";
import type { Store } from "./store/store.js";
import { DEFAULT_FOLDERS, PROJECT_FOLDER } from "./toolfiles/options.js";
import type { ReadToolFiles, RefusedFile } from "./toolfiles/read-tool-files.js";
import { absolutePath, shortenHome } from "./util/home-path.js";

export interface ToolFilesParts {
  readonly loaded: Pick<LoadedConfig, "config" | "baseDir">;
  readonly place: Place;
  readonly versions: Store["toolFiles"];
  /** What was read before. */
  readonly previous: ReadToolFiles | undefined;
}

export const NO_TOOL_FILES: ReadToolFiles = { files: [], refused: [] };

/** The folders that are looked into, whether they exist or not. */
export function toolFolders({ config, baseDir }: ToolFilesParts["loaded"], { cwd, home }: Place): readonly string[] {
  const { enabled, folders } = config.toolFiles;
  if (!enabled || !config.enabled) return [];
  const base = folders === undefined ? cwd : baseDir;
  return [...new Set((folders ?? DEFAULT_FOLDERS).map((folder) => absolutePath(folder, { home, baseDir: base })))];
}

export function keyFolder(stateFolder: string): string {
  return join(stateFolder, "keys");
}

const NO_CONTENT = new Uint8Array();

/** The person puts tools into this folder: what is there may set the variables of those tools. */
export async function claimFolder({ trust }: Place, folder: string): Promise<void> {
  await trust.record(folder, NO_CONTENT);
}

/** Whether they have done so for the working folder. A copy of it elsewhere is nobody's. */
export function isClaimed({ trust, cwd }: Place): boolean {
  return trust.isTrusted(join(cwd, PROJECT_FOLDER), NO_CONTENT);
}

/** What reads and verifies them is loaded only where there are any. */
export async function findToolFiles({ loaded, place, versions, previous }: ToolFilesParts): Promise<ReadToolFiles> {
  const folders = toolFolders(loaded, place).filter((folder) => existsSync(folder));
  if (folders.length === 0) return NO_TOOL_FILES;
  const [{ readToolFiles }, { openKeys }] = await Promise.all([
    import("./toolfiles/read-tool-files.js"),
    import("./toolfiles/keys/open-keys.js"),
  ]);
  return await readToolFiles({
    folders,
    keys: openKeys(keyFolder(place.stateFolder), place.now),
    versions,
    signatures: loaded.config.toolFiles.signatures,
    now: place.now(),
    ...(previous === undefined ? {} : { previous: previous.files }),
  });
}

/** The servers with those of the files, and what is to be said about it. */
export async function withToolFiles(
  servers: readonly ServerDefinition[],
  { files, refused }: ReadToolFiles,
  { home }: Place,
): Promise<{ readonly servers: readonly ServerDefinition[]; readonly notices: readonly string[] }> {
  const told = refused.map((file) => describeRefused(file, home));
  if (files.length === 0) return { servers, notices: told };
  const { withFiles } = await import("./toolfiles/with-files.js");
  const filed = withFiles(servers, files);
  return { servers: filed.servers, notices: [...filed.notices, ...told] };
}

function describeRefused({ path, error, kept }: RefusedFile, home: string): string {
  const instead = kept === undefined ? "" : " What it said before is used meanwhile.";
  return `${error.message.replace(path, shortenHome(path, home))}${instead} ${error.hint ?? ""}`.trim();
}
