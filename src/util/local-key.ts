import { hkdfSync, randomBytes } from "node:crypto";
import { chmod, link, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DiscoveryError } from "../errors.js";
import { ensurePrivateFolder, writePrivateFile } from "./private-files.js";
import { syncFolder } from "./sync-folder.js";
import { readRegularFile } from "./regular-file.js";

/** Returns the secret key of this machine, which all processes of the user share. */
export type LocalKey = () => Promise<Buffer>;

const KEY_BYTES = 32;
const OTHERS = 0o077;

/** Reads or creates the key file on first use. A failure is not cached, because its cause may be removed later. */
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

/** Returns the key if its file exists. Never creates or changes the file. */
export async function readLocalKey(file: string): Promise<Buffer | undefined> {
  try {
    return await readKey(file);
  } catch (error) {
    throw toUnavailable(error, file);
  }
}

/** Derives a key for one purpose. It reveals neither the original key nor the keys for other purposes. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES));
}

/**
 * The first process creates the key file, the others read it. The key is written completely to a temporary file, which
 * is then linked to the final name: exactly one of several processes wins, and no process ever reads half a key.
 */
async function openKey(file: string, warn: (message: string) => void): Promise<Buffer> {
  const known = await readKey(file);
  if (known !== undefined) {
    await restrictToOwner(file, warn);
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
  if (key === undefined) throw new UnusableKeyError("disappeared while it was created");
  return key;
}

class UnusableKeyError extends Error {
  override readonly name = "UnusableKeyError";
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const key = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  // Report a key that is too short: the gateway never writes half a key, and replacing the file could give two
  // processes different keys.
  if (key !== undefined && key.length < KEY_BYTES)
    throw new UnusableKeyError(`has ${key.length} bytes, which is too short for a key`);
  return key;
}

async function restrictToOwner(file: string, warn: (message: string) => void): Promise<void> {
  if (process.platform === "win32") return;
  const { mode, uid } = await stat(file);
  if ((mode & OTHERS) === 0) return;
  if (uid !== process.getuid?.()) {
    warn(
      `The key file ${file} belongs to another user and is readable by others. Change its owner to yourself and its mode to 600.`,
    );
    return;
  }
  await chmod(file, 0o600);
  warn(
    `The key file ${file} was readable by other users; its mode is now 600. If another user may have read it, remove it; the gateway then creates a new key.`,
  );
}

function toUnavailable(error: unknown, file: string): DiscoveryError {
  if (error instanceof UnusableKeyError) {
    return new DiscoveryError("AUDIT_UNAVAILABLE", `The key file ${file} ${error.message}.`, {
      hint: [
        "Restore the file from a backup, or stop all gateways and remove it; the gateway creates a new one.",
        { action: "edit-file", path: file, change: "remove" },
      ],
      cause: error,
    });
  }
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return new DiscoveryError("AUDIT_UNAVAILABLE", `The key file ${file} cannot be read or created${code}.`, {
    hint: [{ action: "edit-file", path: file, change: "permissions" }, "Check that the disk has free space."],
    cause: error,
  });
}
