// Verifies the signatures of tool files.
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
      /** The time of the signature, ISO 8601. */
      readonly validatedAt: string;
      /** The id of the key that signed the file. Undefined for an unsigned file that the configuration accepts. */
      readonly keyId: string | undefined;
    }
  | ({ readonly kind: "refused"; readonly toolId: string } & RefusedFile);

/** The result of the verification of tool files. */
export interface VerifiedToolFiles {
  /**
   * True if no file is refused. Shadowed files do not count: the gateway uses another file for the same tool instead.
   */
  readonly isGood: boolean;
  readonly files: readonly ToolFileVerdict[];
}

/** Verifies the files with these ids, or all of them. @internal */
export async function verifyFiles(
  ids: readonly string[],
  folders: ToolFileFolders,
): Promise<{ readonly isGood: boolean; readonly files: readonly ListedToolFile[] }> {
  const files = pick(toFound(await folders.read()), ids, folders.folders);
  return { isGood: !files.some(isBadFile), files };
}

/** Returns for each tool file which key signed it, or why it is refused. Without ids: all files. */
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

/** Whether a file is refused. A shadowed file is not bad: the gateway uses another file instead. @internal */
export function isBadFile(found: ListedToolFile): boolean {
  return found.kind === "refused" && found.refused.reason !== "shadowed";
}

/** A file that is refused because the gateway has already seen a newer version. @internal */
export interface OlderToolFile {
  readonly toolId: string;
  readonly path: string;
  readonly version: string;
  readonly validatedAt: string;
  /** The newer version that the gateway has seen. */
  readonly seen: string;
}

/** The files that are older than a version the gateway has seen. Throws INVALID_REQUEST if there are none. @internal */
export function findOlderFiles(files: readonly ListedToolFile[]): OlderToolFile[] {
  const older = files.flatMap(toOlder);
  if (older.length > 0) return older;
  throw new DiscoveryError(
    "INVALID_REQUEST",
    "None of these files is older than a version that the gateway has seen.",
    {
      hint: { action: "run-command", command: "anygpt mcp verify", purpose: "see the problem of each file" },
    },
  );
}

/** Accepts the older versions permanently. @internal */
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
