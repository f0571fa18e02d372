import { DiscoveryError } from "../../errors.js";
import type { Backups, NewBackup } from "./backups.js";
import { replaceFile } from "./replace-file.js";

/** A file to write. */
export interface Write extends NewBackup {
  readonly mode?: number;
  /** For people: what becomes of it. */
  readonly what: string;
}

export interface Written {
  readonly path: string;
  /** Why it was left as it is; undefined when it was written. */
  readonly failure?: DiscoveryError;
}

/** Writes file by file, each kept before. Where one of our own fails nothing after it is tried; a client's file fails alone. */
export async function writeAll(writes: readonly Write[], backups: Backups): Promise<Written[]> {
  const written: Written[] = [];
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
      ? [`${path} is not there any more.`, "Run the command again."]
      : [
          `${path} was left as it is, because no backup could be made of it (${code}).`,
          "Look at the space on the disk.",
        ];
  return new DiscoveryError("CONFIGURATION_ERROR", message, { hint, cause: error });
}
