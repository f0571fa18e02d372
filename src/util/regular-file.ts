// Reads regular files, and nothing else. A named pipe without a writer blocks a thread of Node.js until a writer opens
// it, and a process with such a thread does not even end at SIGTERM; a device may have no end. This is the only file
// that opens files for reading; `test/architecture.test.ts` checks that.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

export interface ReadLimits {
  /** The maximum size of the file in bytes. Default: unlimited. */
  readonly maxBytes?: number;
  /** Whether a path that is a symbolic link is refused, with the code ELOOP. Default: links are followed. */
  readonly refusesLink?: boolean;
}

/** A file that is not read. `code` describes the reason, like the codes of the operating system. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  constructor(
    path: string,
    readonly code: "EISDIR" | "NOT_A_REGULAR_FILE" | "TOO_LARGE",
  ) {
    super(`${code}: ${path}`);
  }
}

// Non-blocking, because opening a pipe without a writer would block. NOCTTY, because a terminal would become the
// controlling terminal. Windows has none of these flags.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const MIN_PART_BYTES = 4096;
const MAX_PART_BYTES = 1024 * 1024;

/** One byte more than the file should still have, so that the last read can report the end. */
function partBytes(left: number): number {
  return Math.min(MAX_PART_BYTES, Math.max(MIN_PART_BYTES, left + 1));
}

/** Opens a regular file for reading. Throws the system's error, or `UnreadableFileError`. */
export async function openRegularFile(path: string, limits: ReadLimits = {}): Promise<FileHandle> {
  const handle = await open(path, flagsOf(limits));
  try {
    check(path, await handle.stat(), limits);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a regular file. Throws the system's error, or `UnreadableFileError`. */
export async function readRegularFile(path: string, limits: ReadLimits = {}): Promise<Buffer> {
  const handle = await openRegularFile(path, limits);
  try {
    return await readToEnd(handle, path, limits.maxBytes);
  } finally {
    await handle.close();
  }
}

/** Reads to the end instead of relying on the size: the file may grow while it is read. */
export async function readToEnd(handle: FileHandle, path: string, maxBytes = Infinity): Promise<Buffer> {
  if (maxBytes === Infinity) return await handle.readFile();
  const { size } = await handle.stat();
  const parts: Buffer[] = [];
  for (let length = 0; ; ) {
    const part = Buffer.allocUnsafe(partBytes(size - length));
    const { bytesRead } = await handle.read(part, 0, part.length, length);
    if (bytesRead === 0) return Buffer.concat(parts, length);
    parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw new UnreadableFileError(path, "TOO_LARGE");
  }
}

/** Reads a regular file as UTF-8 text. Invalid bytes become replacement characters. */
export async function readRegularText(path: string, limits: ReadLimits = {}): Promise<string> {
  return (await readRegularFile(path, limits)).toString("utf8");
}

/** Like `readRegularFile`, but synchronous. */
export function readRegularFileSync(path: string, limits: ReadLimits = {}): Buffer {
  const fd = openSync(path, flagsOf(limits));
  try {
    check(path, fstatSync(fd), limits);
    const parts: Buffer[] = [];
    const { size } = fstatSync(fd);
    for (let length = 0; ; ) {
      const part = Buffer.allocUnsafe(partBytes(size - length));
      const bytesRead = readSync(fd, part, 0, part.length, length);
      if (bytesRead === 0) return Buffer.concat(parts, length);
      parts.push(part.subarray(0, bytesRead));
      length += bytesRead;
      if (length > (limits.maxBytes ?? Infinity)) throw new UnreadableFileError(path, "TOO_LARGE");
    }
  } finally {
    closeSync(fd);
  }
}

/** Like `readRegularText`, but synchronous. */
export function readRegularTextSync(path: string, limits: ReadLimits = {}): string {
  return readRegularFileSync(path, limits).toString("utf8");
}

function flagsOf({ refusesLink = false }: ReadLimits): number {
  return refusesLink ? FLAGS | (constants.O_NOFOLLOW ?? 0) : FLAGS;
}

function check(path: string, stats: Stats, { maxBytes = Infinity }: ReadLimits): void {
  if (stats.isDirectory()) throw new UnreadableFileError(path, "EISDIR");
  if (!stats.isFile()) throw new UnreadableFileError(path, "NOT_A_REGULAR_FILE");
  if (stats.size > maxBytes) throw new UnreadableFileError(path, "TOO_LARGE");
}
