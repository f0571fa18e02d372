import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

export type Bytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** The file was removed before it could be opened. */
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "too-large" };

// Non-blocking, because opening a pipe without a writer would block. NOCTTY, because a terminal would become the
// controlling terminal.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Reads the bytes of a regular file. Symbolic links are followed. */
export async function readBytes(path: string, limit: number): Promise<Bytes> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS);
    const found = await handle.stat();
    if (!found.isFile()) return { kind: "unreadable", reason: "it is not a regular file" };
    if (found.size > limit) return { kind: "too-large" };
    return await readAll(handle, limit);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    return code === "ENOENT" ? { kind: "gone" } : { kind: "unreadable", reason: code };
  } finally {
    await handle?.close();
  }
}

/** Reads to the end of the file instead of relying on its size, because the file may grow while it is read. */
async function readAll(handle: FileHandle, limit: number): Promise<Bytes> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const part = Buffer.alloc(Math.min(65_536, limit + 1 - length));
    const { bytesRead } = await handle.read(part, 0, part.length, length);
    if (bytesRead === 0) return { kind: "bytes", bytes: Buffer.concat(parts, length) };
    parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
    if (length > limit) return { kind: "too-large" };
  }
}
