import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { DiscoveryError } from "../../errors.js";

export interface OutputOptions {
  /** Replace an existing file. If false, an existing file causes INVALID_REQUEST. */
  readonly isForced: boolean;
  /** The file mode before the umask is applied. Default: 0666. */
  readonly mode?: number;
}

/** Writes a file that the user named, atomically: no reader sees a part of it. */
export async function writeOutput<T>(
  file: string,
  { isForced, mode = 0o666 }: OutputOptions,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(draft, "wx", mode);
    let written: T;
    try {
      written = await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (isForced ? rename(draft, file) : link(draft, file));
    return written;
  } catch (error) {
    throw toFailure(error, file);
  } finally {
    await rm(draft, { force: true });
  }
}

function toFailure(error: unknown, file: string): unknown {
  if (error instanceof DiscoveryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  if (code === "EEXIST") {
    return new DiscoveryError("INVALID_REQUEST", `${file} already exists.`, {
      hint: "Choose another file name, or replace the existing file with --force.",
    });
  }
  return new DiscoveryError("INVALID_REQUEST", `${file} could not be written (${code}).`, {
    hint: "Name a file in an existing folder with write permission.",
    cause: error,
  });
}
