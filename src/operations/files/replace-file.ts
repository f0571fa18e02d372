import { randomBytes } from "node:crypto";
import { chown, type FileHandle, link, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { withFileLock } from "./file-lock.js";
import { openRegularFile, readRegularFile } from "../../util/regular-file.js";

/** The new content of a file. Undefined `bytes` delete the file. */
export interface Replacement {
  readonly path: string;
  /** The content that was read before. If the file differs now, another process wrote it, and it is not replaced. */
  readonly expected: Uint8Array | undefined;
  readonly bytes: Uint8Array | undefined;
  /** The file mode. Default: the current mode, or 0600 for a new file. */
  readonly mode?: number;
}

/**
 * Replaces a file atomically: a reader sees the old content or the new. A symbolic link is preserved.
 * A concurrent change by another process is never lost silently.
 */
export async function replaceFile({ path, expected, bytes, mode }: Replacement): Promise<void> {
  try {
    const target = await realPathOf(path);
    if (expected === undefined) return bytes === undefined ? undefined : await create(target, bytes, mode ?? 0o600);
    // Check and rename are two steps: two writers that expect the same content must not both pass the check.
    await withFileLock(
      target,
      { kind: "write" },
      async () => await replaceLocked(target, { path, expected, bytes, mode }),
    );
  } catch (error) {
    throw toError(error, path);
  }
}

type Expected = Pick<Replacement, "path" | "bytes"> & {
  readonly expected: Uint8Array;
  readonly mode: number | undefined;
};

async function replaceLocked(target: string, { path, expected, bytes, mode }: Expected): Promise<void> {
  const old = await openRegularFile(target);
  try {
    await assertWritable(old, path);
    await assertSame(old, target, { path, expected });
    if (bytes === undefined) return await rm(target);
    await swap(old, { target, path, expected, bytes, mode });
  } finally {
    await old.close();
  }
}

/** Follows symbolic links. For a dangling link, returns the missing target. */
export async function realPathOf(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const real = await realpath(current).catch(() => undefined);
    if (real !== undefined) return real;
    const target = await readlink(current).catch(() => undefined);
    if (target === undefined) return current;
    current = resolve(dirname(current), target);
  }
  return path;
}

const MAX_LINKS = 40;

interface Swap {
  readonly path: string;
  readonly target: string;
  readonly expected: Uint8Array;
  readonly bytes: Uint8Array;
  readonly mode: number | undefined;
}

async function swap(old: FileHandle, { target, path, expected, bytes, mode }: Swap): Promise<void> {
  const stats = await old.stat();
  const temporary = await writeTemporary(target, bytes, mode ?? stats.mode & 0o7777);
  try {
    await chown(temporary, stats.uid, stats.gid).catch(() => undefined);
    await assertSame(old, target, { path, expected });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // A process that had the old file open may have written to it after the check. Its content is then restored.
  const last = await readWhole(old);
  if (Buffer.compare(last, expected) === 0) return;
  await rename(await writeTemporary(target, last, stats.mode & 0o7777), target);
  throw changed(path);
}

async function create(target: string, bytes: Uint8Array, mode: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = await writeTemporary(target, bytes, mode);
  try {
    // Unlike a rename, a hard link fails if a file has appeared at the path.
    await link(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTemporary(target: string, bytes: Uint8Array, mode: number): Promise<string> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

async function readWhole(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await handle.read(buffer, 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** Throws for a read-only file: a rename would replace it although its owner wanted to protect it. */
async function assertWritable(handle: FileHandle, path: string): Promise<void> {
  if (((await handle.stat()).mode & 0o222) !== 0) return;
  throw new DiscoveryError("CONFIGURATION_ERROR", `${path} is read-only and was not changed.`, {
    hint: "Make the file writable. If another program generates it, change its source instead.",
  });
}

async function assertSame(
  handle: FileHandle,
  target: string,
  { path, expected }: { readonly path: string; readonly expected: Uint8Array },
): Promise<void> {
  const [there, ours] = [await stat(target), await handle.stat()];
  const isSameFile = there.ino === ours.ino && there.dev === ours.dev;
  if (!isSameFile || Buffer.compare(await readRegularFile(target), expected) !== 0) throw changed(path);
}

function changed(path: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${path} was changed by another program in the meantime, so it was not replaced.`,
    {
      hint: { action: "retry" },
    },
  );
}

function toError(error: unknown, path: string): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  if (code === "ENOENT" || code === "EEXIST") return changed(path);
  return new DiscoveryError("CONFIGURATION_ERROR", `${path} could not be written (${code}).`, {
    hint: [{ action: "edit-file", path, change: "permissions" }, "Check that the disk has free space."],
    cause: error,
  });
}
