import type { Hint } from "../../model/next-steps.js";
import { basename, dirname, join } from "node:path";
import type { Stages } from "../../gateway/stages.js";
import { localActor } from "../../model/actor.js";
import { DiscoveryError } from "../../errors.js";
import { nearestNames } from "../../search/nearest.js";
import { keyFolder, toolFolders } from "../../gateway/tool-files.js";
import { isToolId } from "../../toolfiles/ids/tool-id.js";
import { type Keys, openKeys } from "../../toolfiles/keys/open-keys.js";
import {
  type ReadToolFiles,
  readToolFiles,
  type RefusedFile,
  shadowed,
  type VerifiedFile,
} from "../../toolfiles/read-tool-files.js";
import { withFiles } from "../../toolfiles/with-files.js";

/** The tool files of the configured folders and the keys that sign them. Starts no server. @internal */
export interface ToolFileFolders {
  readonly stages: Stages;
  readonly folders: readonly string[];
  readonly keys: Keys;
  /** Reads and verifies all files again. */
  read(): Promise<ReadToolFiles>;
}

/** @internal */
export function openToolFiles(stages: Stages): ToolFileFolders {
  const { runtime, persistence, loaded } = stages;
  const folders = toolFolders(loaded, runtime);
  if (folders.length === 0) {
    throw new DiscoveryError("CONFIGURATION_ERROR", "The configuration disables tool files.", {
      hint: [
        { action: "edit-config", key: "toolFiles.enabled", value: "true" },
        { action: "edit-config", key: "toolFiles.folders", value: "at least one folder" },
      ],
    });
  }
  const keys = openKeys(keyFolder(runtime.stateFolder), runtime.now);
  const { signatures } = loaded.config.toolFiles;
  const versions = persistence.store.toolFiles;
  return {
    stages,
    folders,
    keys,
    read: async () => {
      const read = await readToolFiles({ folders, keys, versions, signatures, now: runtime.now() });
      return withoutDoubles(read, stages);
    },
  };
}

/**
 * Of several valid files for the same tool, keeps the one that the gateway uses. The others are refused as shadowed.
 */
function withoutDoubles({ files, refused }: ReadToolFiles, { configuredServers }: Stages): ReadToolFiles {
  const configured = configuredServers.servers.flatMap((server) =>
    server.isFixed === true ? [] : [{ ...server, files: [] }],
  );
  const { doubles } = withFiles(configured, files);
  const paths = new Set(doubles.map(({ path }) => path));
  return {
    files: files.filter(({ path }) => !paths.has(path)),
    refused: [...refused, ...doubles.map((double) => shadowed(double, double.used))],
  };
}

/** A tool file, valid or refused. */
export type ListedToolFile =
  | { readonly kind: "good"; readonly toolId: string; readonly path: string; readonly verified: VerifiedFile }
  | { readonly kind: "refused"; readonly toolId: string; readonly path: string; readonly refused: RefusedFile };

/** @internal */
export function toFound({ files, refused }: ReadToolFiles): ListedToolFile[] {
  const found: ListedToolFile[] = [
    ...files.map((verified) => ({
      kind: "good" as const,
      toolId: verified.file.toolId,
      path: verified.path,
      verified,
    })),
    ...refused.map((each) => ({
      kind: "refused" as const,
      toolId: basename(each.path, ".yaml"),
      path: each.path,
      refused: each,
    })),
  ];
  return found.sort((a, b) => Number(a.path > b.path) - Number(a.path < b.path));
}

/** The files with these ids, or all files. Throws TOOL_NOT_FOUND with similar names for an unknown id. @internal */
export function pick(
  found: readonly ListedToolFile[],
  ids: readonly string[],
  folders: readonly string[],
): ListedToolFile[] {
  if (ids.length === 0) return [...found];
  const known = new Set(found.map(({ toolId }) => toolId));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw unknownFile(missing, known, folders);
  return found.filter(({ toolId }) => ids.includes(toolId));
}

/** @internal */
export function unknownFile(id: string, known: Iterable<string>, folders: readonly string[]): DiscoveryError {
  const near = nearestNames(id, known);
  const hint: Hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : [
          {
            action: "run-command",
            command: "anygpt mcp verify",
            purpose: `list the tool files in ${folders.join(" and ")}`,
          },
          { action: "run-command", command: "anygpt mcp discover --help", purpose: "see how to create tool files" },
        ];
  return new DiscoveryError("TOOL_NOT_FOUND", `No tool file is named ${JSON.stringify(id)}.`, {
    tool: id,
    hint,
    facts: { nearest: near },
  });
}

/** Whether the file is directly in one of the configured folders. @internal */
export function isInConfiguredFolder(path: string, { folders }: Pick<ToolFileFolders, "folders">): boolean {
  return folders.includes(dirname(path)) && isToolId(basename(path, ".yaml"));
}

/** @internal */
export function pathOf(folder: string, toolId: string): string {
  return join(folder, `${toolId}.yaml`);
}

/** Records an action of the local user in the audit log, before it takes effect. @internal */
export async function noteAction({ persistence }: Stages, action: string, subject: string): Promise<void> {
  const { id: by, surface } = localActor("cli");
  await persistence.note({ action, subject, by, surface });
}
