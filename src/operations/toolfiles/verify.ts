// Ids of tool files come in; a verdict on each goes out.
import { dirname } from "node:path";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { toRecordedVersion } from "../../toolfiles/version-history.js";
import { realPath } from "../../util/inside.js";
import {
  type ListedToolFile,
  noteAction,
  openToolFiles,
  pick,
  toFound,
  type ToolFileFolders,
} from "./open-tool-files.js";

/** The verdict on one tool file. */
export type ToolFileVerdict =
  | {
      readonly kind: "good";
      readonly toolId: string;
      readonly path: string;
      readonly version: string;
      /** When it was signed, ISO 8601. */
      readonly validatedAt: string;
      /** The key that signed it; undefined where the configuration accepts unsigned files. */
      readonly keyId: string | undefined;
    }
  | ({ readonly kind: "refused"; readonly toolId: string } & RefusedFile);

/** The result of the verification of tool files. */
export interface VerifiedToolFiles {
  /** No file is refused, except those in whose place another one is used. */
  readonly isGood: boolean;
  readonly files: readonly ToolFileVerdict[];
}

/** Verifies the files with the given ids, or all of them. @internal */
export async function verifyFiles(
  ids: readonly string[],
  folders: ToolFileFolders,
): Promise<{ readonly isGood: boolean; readonly files: readonly ListedToolFile[] }> {
  const files = pick(toFound(await folders.read()), ids, folders.folders);
  return { isGood: !files.some(isBadFile), files };
}

/** Says of each tool file which key signed it, or why it is refused. Without ids: all of them. */
export async function verifyToolFiles(
  engine: DiscoveryEngine,
  ids: readonly string[] = [],
): Promise<VerifiedToolFiles> {
  const { isGood, files } = await verifyFiles(ids, openToolFiles(await engine.stages()));
  return { isGood, files: files.map(toVerdict) };
}

function toVerdict(found: ListedToolFile): ToolFileVerdict {
  const { toolId, path } = found;
  if (found.kind === "refused") return { ...found.refused, kind: "refused", toolId };
  const { file, validatedAt, trust } = found.verified;
  const keyId = trust.kind === "signed" ? trust.keyId : undefined;
  return { kind: "good", toolId, path, version: file.version, validatedAt, keyId };
}

/** A file in whose place another one is used does no harm. @internal */
export function isBadFile(found: ListedToolFile): boolean {
  return found.kind === "refused" && found.refused.reason !== "shadowed";
}

/** A file that is refused because a newer version was here before. @internal */
export interface OlderToolFile {
  readonly toolId: string;
  readonly path: string;
  readonly version: string;
  readonly validatedAt: string;
  /** The newer version. */
  readonly seen: string;
}

/** Those of the files that are older than a version that was here before; at least one, or INVALID_REQUEST. @internal */
export function findOlderFiles(files: readonly ListedToolFile[]): OlderToolFile[] {
  const older = files.flatMap(toOlder);
  if (older.length > 0) return older;
  throw new DiscoveryError("INVALID_REQUEST", "None of these files is older than one that was here before.", {
    hint: { action: "run-command", command: "anygpt mcp verify", purpose: "see what is wrong with each file" },
  });
}

/** Accepts the older versions for good. @internal */
export async function acceptOlderFiles(older: readonly OlderToolFile[], { stages }: ToolFileFolders): Promise<void> {
  for (const { toolId, path, version, validatedAt } of older) {
    await noteAction(stages, "accept_tool_file", `${path} ${version} ${validatedAt}`);
    await stages.persistence.store.toolFiles.accept(
      toRecordedVersion({ toolId, version, validatedAt }, realPath(dirname(path))),
    );
  }
}

function toOlder(found: ListedToolFile): OlderToolFile[] {
  if (found.kind !== "refused" || found.refused.reason !== "rolled-back") return [];
  const { version, validatedAt, seen, seenAt } = found.refused.error.facts;
  return [
    {
      toolId: found.toolId,
      path: found.path,
      version: String(version),
      validatedAt: String(validatedAt),
      seen: `${String(seen)} of ${String(seenAt)}`,
    },
  ];
}
