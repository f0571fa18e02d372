// A set of tool files comes in and one file goes out, and the other way round. It refuses to know who is trusted.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { createTar } from "nanotar";
import {
  type Bundle,
  fromMembers,
  MOST_BUNDLE_BYTES,
  MOST_MEMBER_BYTES,
  MOST_MEMBERS,
  notABundle,
  toMembers,
} from "./bundle.js";
import { readTar, TarError } from "./read-tar.js";

/** The same bytes for the same set: no time, no owner. */
export async function toArchive(bundle: Bundle): Promise<Buffer> {
  const members = toMembers(bundle).map(({ name, bytes }) => ({ name, data: bytes }));
  return await promisify(gzip)(createTar(members, { attrs: { mtime: 0, uid: 0, gid: 0, mode: "644" } }));
}

/** INVALID_REQUEST for everything that `toArchive` does not make. `origin` names it in messages. */
export async function readArchive(bytes: Buffer, origin: string): Promise<Bundle> {
  const tar = await unpack(bytes, origin);
  try {
    return fromMembers(readTar(tar, { members: MOST_MEMBERS, memberBytes: MOST_MEMBER_BYTES }), origin);
  } catch (error) {
    throw error instanceof TarError ? notABundle(origin, error.message, error) : error;
  }
}

/** However much a few bytes would become, it is given up at the limit. */
async function unpack(bytes: Buffer, origin: string): Promise<Buffer> {
  try {
    const unpacked: Buffer = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BUNDLE_BYTES });
    return unpacked;
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const reason = isLarge ? `it unpacks to more than ${MOST_BUNDLE_BYTES / 1024 ** 2} MiB` : "it is no gzip archive";
    throw notABundle(origin, reason, error);
  }
}
