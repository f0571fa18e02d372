import { basename } from "node:path";
import type { DiscoveryError } from "../errors.js";
import { parseToolFile } from "../toolfiles/format/parse-tool-file.js";
import { MAX_TOOL_FILE_BYTES, type ToolFile } from "../toolfiles/format/tool-file.js";
import { isToolId } from "../toolfiles/ids/tool-id.js";
import type { Keys } from "../toolfiles/keys/open-keys.js";
import { readBytes } from "../toolfiles/read-bytes.js";
import { readToolFiles, type RefusedFile } from "../toolfiles/read-tool-files.js";
import { bodyOf } from "../toolfiles/signing/envelope.js";
import type { RefusalReason } from "../toolfiles/signing/refusal.js";
import type { Signatures } from "../toolfiles/signing/verify.js";
import type { VersionHistory } from "../toolfiles/version-history.js";

/** A tool file that already exists in the folder, trusted or not. */
export interface ExistingFile {
  readonly toolId: string;
  readonly path: string;
  readonly bytes?: Buffer;
  /** The parsed content, trusted or not; undefined if it cannot be parsed. */
  readonly file?: ToolFile;
  /** `none`: the gateway rejects the file, so its content must not be copied into a file that is signed here. */
  readonly trust: "signed" | "hash" | "none";
  readonly refusal?: DiscoveryError;
  readonly reason?: RefusalReason;
}

export interface FolderParts {
  readonly keys: Pick<Keys, "list">;
  readonly versions: VersionHistory;
  readonly signatures: Signatures;
  readonly now: () => number;
}

export async function readExistingFiles(folder: string, parts: FolderParts): Promise<ExistingFile[]> {
  const { files, refused } = await readToolFiles({ ...parts, folders: [folder], now: parts.now() });
  const whole = refused.find(({ path }) => path === folder);
  if (whole !== undefined) throw whole.error;
  const others = refused.filter(({ path }) => isToolId(basename(path, ".yaml")));
  return [
    ...files.map(
      ({ file, path, bytes, trust }): ExistingFile => ({ toolId: file.toolId, path, bytes, file, trust: trust.kind }),
    ),
    ...(await Promise.all(others.map(readRefused))),
  ];
}

/** All files of the folder that the gateway would not use. */
export async function findRefused(folder: string, parts: FolderParts): Promise<readonly RefusedFile[]> {
  return (await readToolFiles({ ...parts, folders: [folder], now: parts.now() })).refused;
}

/** Size limit of a whole file: the body and the two signature lines above it. */
const MAX_FILE_BYTES = MAX_TOOL_FILE_BYTES + 4_096;

async function readRefused({ path, error, reason }: RefusedFile): Promise<ExistingFile> {
  const toolId = basename(path, ".yaml");
  const base = { toolId, path, trust: "none", refusal: error, reason } as const;
  const read = await readBytes(path, MAX_FILE_BYTES);
  if (read.kind !== "bytes") return base;
  const { bytes } = read;
  const parsed = parseToolFile(bodyOf(bytes), toolId);
  return parsed.kind === "ok" ? { ...base, bytes, file: parsed.file } : { ...base, bytes };
}
