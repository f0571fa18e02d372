// Converts a set of tool files (bundle) to one archive and back. It does not decide which signing keys are trusted.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { createTar } from "nanotar";
import {
  type Bundle,
  fromMembers,
  MAX_BUNDLE_BYTES,
  MAX_MEMBER_BYTES,
  MAX_MEMBERS,
  notABundle,
  toMembers,
} from "./bundle.js";
import { readTar, TarError } from "./read-tar.js";

/** Packs a bundle. The same bundle always gives the same bytes, because timestamps and owners are fixed. */
export async function toArchive(bundle: Bundle): Promise<Buffer> {
  const members = toMembers(bundle).map(({ name, bytes }) => ({ name, data: bytes }));
  return await promisify(gzip)(createTar(members, { attrs: { mtime: 0, uid: 0, gid: 0, mode: "644" } }));
}

/**
 * Unpacks an archive. Throws INVALID_REQUEST for every archive that `toArchive` would not produce. `origin` names the
 * archive in messages.
 */
export async function readArchive(bytes: Buffer, origin: string): Promise<Bundle> {
  const tar = await unpack(bytes, origin);
  try {
    return fromMembers(readTar(tar, { members: MAX_MEMBERS, memberBytes: MAX_MEMBER_BYTES }), origin);
  } catch (error) {
    throw error instanceof TarError ? notABundle(origin, error.message, error) : error;
  }
}

/** Decompresses an archive. Stops at the size limit, so that a decompression bomb does no harm. */
async function unpack(bytes: Buffer, origin: string): Promise<Buffer> {
  try {
    const unpacked: Buffer = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BUNDLE_BYTES });
    return unpacked;
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const reason = isLarge ? `it unpacks to more than ${MAX_BUNDLE_BYTES / 1024 ** 2} MiB` : "it is not a gzip archive";
    throw notABundle(origin, reason, error);
  }
}
