import { DiscoveryError } from "../../errors.js";
import type { Backups, NewBackup } from "./backups.js";
import { replaceFile } from "./replace-file.js";

/** A file to write. */
export interface Write extends NewBackup {
  readonly mode?: number;
  /** Describes the change for the user. */
  readonly what: string;
}

export interface FileWrite {
  readonly path: string;
  /** Why the file was not written. */
  readonly failure?: DiscoveryError;
}

/**
 * Writes the files in order, each after a backup. Stops at the first failure, except for files of MCP clients, which do
 * not depend on each other.
 */
export async function writeAll(writes: readonly Write[], backups: Backups): Promise<FileWrite[]> {
  const written: FileWrite[] = [];
  for (const write of writes) {
    const failure = await writeOne(write, backups);
    written.push({ path: write.path, ...(failure === undefined ? {} : { failure }) });
    if (failure !== undefined && write.role !== "client") break;
  }
  return written;
}

async function writeOne({ what: _what, mode, ...entry }: Write, backups: Backups): Promise<DiscoveryError | undefined> {
  const { path, before: expected, after: bytes } = entry;
  const backup = await backups.keep(entry).catch((error: unknown) => toFailure(error, path));
  if (backup instanceof DiscoveryError) return backup;
  try {
    await replaceFile({ path, expected, bytes, ...(mode === undefined ? {} : { mode }) });
    return undefined;
  } catch (error) {
    await backups.drop(backup);
    if (error instanceof DiscoveryError) return error;
    throw error;
  }
}

function toFailure(error: unknown, path: string): DiscoveryError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  const [message, hint] =
    code === "ENOENT"
      ? [`${path} no longer exists.`, "Run the command again."]
      : [
          `${path} was not changed, because its backup could not be written (${code}).`,
          "Check that the disk has free space.",
        ];
  return new DiscoveryError("CONFIGURATION_ERROR", message, { hint, cause: error });
}
