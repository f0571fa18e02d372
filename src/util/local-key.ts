import { hkdfSync, randomBytes } from "node:crypto";
import { chmod, link, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DiscoveryError } from "../errors.js";
import { ensurePrivateFolder, writePrivateFile } from "./private-files.js";
import { syncFolder } from "./sync-folder.js";

/** A secret of this machine, the same for all its processes. */
export type LocalKey = () => Promise<Buffer>;

const KEY_BYTES = 32;
const OTHERS = 0o077;

/** Reads the key or makes it, with the first use. A failure is not remembered: its cause may be gone by the next one. */
export function createLocalKey(file: string, warn: (message: string) => void = () => undefined): LocalKey {
  let key: Promise<Buffer> | undefined;
  return async () => {
    key ??= openKey(file, warn);
    try {
      return await key;
    } catch (error) {
      key = undefined;
      throw toUnavailable(error, file);
    }
  };
}

/** The key, where there is one already; nothing is made or changed. */
export async function readLocalKey(file: string): Promise<Buffer | undefined> {
  try {
    return await readKey(file);
  } catch (error) {
    throw toUnavailable(error, file);
  }
}

/** A key for one purpose: who learns it learns neither the one it comes from nor that of another purpose. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}

/**
 * The first process makes the key, the others take it. It is written whole beside its place and then linked there:
 * exactly one of several wins, and none ever sees half a key.
 */
async function openKey(file: string, warn: (message: string) => void): Promise<Buffer> {
  const known = await readKey(file);
  if (known !== undefined) {
    await closeToOthers(file, warn);
    return known;
  }
  await ensurePrivateFolder(dirname(file));
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    await writePrivateFile(draft, randomBytes(KEY_BYTES));
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await syncFolder(dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(file);
  if (key === undefined) throw new UnusableKeyError("disappeared");
  return key;
}

class UnusableKeyError extends Error {
  override readonly name = "UnusableKeyError";
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const key = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  // We never write half a key. To put a new one in its place could give two processes two keys.
  if (key !== undefined && key.length < KEY_BYTES) throw new UnusableKeyError(`holds ${key.length} bytes and no key`);
  return key;
}

async function closeToOthers(file: string, warn: (message: string) => void): Promise<void> {
  if (process.platform === "win32") return;
  const { mode, uid } = await stat(file);
  if ((mode & OTHERS) === 0) return;
  if (uid !== process.getuid?.()) {
    warn(`${file} holds a key that other users can read, and belongs to one of them; make it yours, with mode 600.`);
    return;
  }
  await chmod(file, 0o600);
  warn(
    `${file} holds a key and could be read by other users; now it cannot. If one of them may have, move it away: a new one is made.`,
  );
}

function toUnavailable(error: unknown, file: string): DiscoveryError {
  if (error instanceof UnusableKeyError) {
    return new DiscoveryError("AUDIT_UNAVAILABLE", `The key file ${file} ${error.message}.`, {
      hint: "Restore it from a backup, or move it away with all gateways ended: a new one is made.",
      cause: error,
    });
  }
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return new DiscoveryError("AUDIT_UNAVAILABLE", `The key file ${file} cannot be read or made${code}.`, {
    hint: "Correct the permissions of the file and its folder, or free the disk.",
    cause: error,
  });
}
