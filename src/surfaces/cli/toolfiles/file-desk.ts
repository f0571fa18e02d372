import { basename, dirname, join } from "node:path";
import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import { nearestNames } from "../../../search/nearest.js";
import { keyFolder, toolFolders } from "../../../tool-files.js";
import { isToolId } from "../../../toolfiles/ids/tool-id.js";
import { type Keys, openKeys } from "../../../toolfiles/keys/open-keys.js";
import {
  type ReadToolFiles,
  readToolFiles,
  type RefusedFile,
  shadowed,
  type VerifiedFile,
} from "../../../toolfiles/read-tool-files.js";
import { withFiles } from "../../../toolfiles/with-files.js";
import type { Context } from "../context.js";
import { withEngine } from "../session.js";

/** The tool files of this place and the keys that vouch for them. No server is started. */
export interface FileDesk {
  readonly stages: Stages;
  readonly folders: readonly string[];
  readonly keys: Keys;
  /** As they are now, on every call. */
  read(): Promise<ReadToolFiles>;
}

export async function withToolFiles<T>(context: Context, use: (desk: FileDesk) => Promise<T>): Promise<T> {
  return await withEngine(context, async (engine) => await use(openFileDesk(await engine.stages())));
}

export function openFileDesk(stages: Stages): FileDesk {
  const { place, books, loaded } = stages;
  const folders = toolFolders(loaded, place);
  if (folders.length === 0) {
    throw new DiscoveryError("CONFIGURATION_ERROR", "Tool files are switched off by the configuration.", {
      hint: "Set toolFiles.enabled to true and name at least one folder in toolFiles.folders, or leave both out.",
    });
  }
  const keys = openKeys(keyFolder(place.stateFolder), place.now);
  const { signatures } = loaded.config.toolFiles;
  const versions = books.store.toolFiles;
  return {
    stages,
    folders,
    keys,
    read: async () => {
      const read = await readToolFiles({ folders, keys, versions, signatures, now: place.now() });
      return withoutDoubles(read, stages);
    },
  };
}

/** A file that is about the same tool as another is intact, and not used. */
function withoutDoubles({ files, refused }: ReadToolFiles, { collected }: Stages): ReadToolFiles {
  const configured = collected.servers.flatMap((server) => (server.isFixed === true ? [] : [{ ...server, files: [] }]));
  const { doubles } = withFiles(configured, files);
  const paths = new Set(doubles.map(({ path }) => path));
  return {
    files: files.filter(({ path }) => !paths.has(path)),
    refused: [...refused, ...doubles.map((double) => shadowed(double, double.used))],
  };
}

/** One file as it was found, good or not. */
export type FoundFile =
  | { readonly kind: "good"; readonly toolId: string; readonly path: string; readonly verified: VerifiedFile }
  | { readonly kind: "refused"; readonly toolId: string; readonly path: string; readonly refused: RefusedFile };

export function toFound({ files, refused }: ReadToolFiles): FoundFile[] {
  const found: FoundFile[] = [
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

/** Those with the given ids, or all. One that is not there ends it, with the nearest names. */
export function pick(found: readonly FoundFile[], ids: readonly string[], folders: readonly string[]): FoundFile[] {
  if (ids.length === 0) return [...found];
  const known = new Set(found.map(({ toolId }) => toolId));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw unknownFile(missing, known, folders);
  return found.filter(({ toolId }) => ids.includes(toolId));
}

export function unknownFile(id: string, known: Iterable<string>, folders: readonly string[]): DiscoveryError {
  const near = nearestNames(id, known);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `\`anygpt mcp verify\` names the tool files of ${folders.join(" and ")}; \`anygpt mcp discover\` writes some.`;
  return new DiscoveryError("TOOL_NOT_FOUND", `No tool file is named ${JSON.stringify(id)}.`, {
    tool: id,
    hint,
    facts: { nearest: near },
  });
}

/** Whether the file lies directly in one of the folders that are looked into. */
export function isLookedInto(path: string, { folders }: Pick<FileDesk, "folders">): boolean {
  return folders.includes(dirname(path)) && isToolId(basename(path, ".yaml"));
}

export function pathOf(folder: string, toolId: string): string {
  return join(folder, `${toolId}.yaml`);
}
