// Reads the tool files of a configuration, and adds the servers that they define to the configured ones.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadedConfig } from "../config/load.js";
import type { ServerDefinition } from "../model/server.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import type { Store } from "../store/store.js";
import { DEFAULT_FOLDERS, PROJECT_FOLDER } from "../toolfiles/options.js";
import type { ReadToolFiles, RefusedFile } from "../toolfiles/read-tool-files.js";
import { absolutePath, shortenHome } from "../util/home-path.js";

export interface ToolFilesParts {
  readonly loaded: Pick<LoadedConfig, "config" | "baseDir">;
  readonly runtime: RuntimeEnvironment;
  readonly versions: Store["toolFiles"];
  /** Set during a reload: the tool files that were read before. */
  readonly previous: ReadToolFiles | undefined;
}

export const NO_TOOL_FILES: ReadToolFiles = { files: [], refused: [] };

/** Returns the folders that are searched for tool files. They may not exist. */
export function toolFolders(
  { config, baseDir }: ToolFilesParts["loaded"],
  { cwd, home }: RuntimeEnvironment,
): readonly string[] {
  const { enabled, folders } = config.toolFiles;
  if (!enabled || !config.enabled) return [];
  const base = folders === undefined ? cwd : baseDir;
  return [...new Set((folders ?? DEFAULT_FOLDERS).map((folder) => absolutePath(folder, { home, baseDir: base })))];
}

export function keyFolder(stateFolder: string): string {
  return join(stateFolder, "keys");
}

const NO_CONTENT = new Uint8Array();

/**
 * Records that the user has written tool files to this folder. Its `.env` file may then set the variables that they
 * need.
 */
export async function claimFolder({ trust }: RuntimeEnvironment, folder: string): Promise<void> {
  await trust.record(folder, NO_CONTENT);
}

/**
 * Whether the user has written tool files to the tool folder of the working folder. The record is bound to the path, so
 * a copy of the folder under another path does not count.
 */
export function isFolderClaimed({ trust, cwd }: RuntimeEnvironment): boolean {
  return trust.isTrusted(join(cwd, PROJECT_FOLDER), NO_CONTENT);
}

/** Reads the tool files. The code for that is loaded only if one of the folders exists. */
export async function findToolFiles({ loaded, runtime, versions, previous }: ToolFilesParts): Promise<ReadToolFiles> {
  const folders = toolFolders(loaded, runtime).filter((folder) => existsSync(folder));
  if (folders.length === 0) return NO_TOOL_FILES;
  const [{ readToolFiles }, { openKeys }] = await Promise.all([
    import("../toolfiles/read-tool-files.js"),
    import("../toolfiles/keys/open-keys.js"),
  ]);
  return await readToolFiles({
    folders,
    keys: openKeys(keyFolder(runtime.stateFolder), runtime.now),
    versions,
    signatures: loaded.config.toolFiles.signatures,
    now: runtime.now(),
    ...(previous === undefined ? {} : { previous: previous.files }),
  });
}

/** Adds the servers of the tool files, and notices about rejected files. */
export async function withToolFiles(
  servers: readonly ServerDefinition[],
  { files, refused }: ReadToolFiles,
  { home }: RuntimeEnvironment,
): Promise<{ readonly servers: readonly ServerDefinition[]; readonly notices: readonly string[] }> {
  const notices = refused.map((file) => describeRefused(file, home));
  if (files.length === 0) return { servers, notices };
  const { withFiles } = await import("../toolfiles/with-files.js");
  const merged = withFiles(servers, files);
  return { servers: merged.servers, notices: [...merged.notices, ...notices] };
}

function describeRefused({ path, error, kept }: RefusedFile, home: string): string {
  const instead = kept === undefined ? "" : " The gateway still uses the previous version of this file.";
  return `${error.message.replace(path, shortenHome(path, home))}${instead} ${error.hint ?? ""}`.trim();
}
