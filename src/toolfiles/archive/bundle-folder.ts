import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { readBytes } from "../read-bytes.js";
import {
  type Bundle,
  fromMembers,
  type BundleMember,
  MAX_BUNDLE_BYTES,
  MAX_MEMBER_BYTES,
  MAX_MEMBERS,
  notABundle,
  toMembers,
} from "./bundle.js";

const PARTS = ["keys", "tools"];

/** Reads an unpacked archive: a folder with `tools/` and `keys/`, which contain only regular files. */
export async function readBundleFolder(folder: string, origin: string): Promise<Bundle> {
  const parts = await namesIn(folder, origin);
  const unexpected = parts.find((name) => !PARTS.includes(name));
  if (unexpected !== undefined) {
    throw notABundle(origin, `it contains ${JSON.stringify(unexpected)}; only tools and keys are allowed`);
  }
  const members: BundleMember[] = [];
  let size = 0;
  for (const part of parts) {
    await assertKind(join(folder, part), "folder", origin);
    for (const name of await namesIn(join(folder, part), origin)) {
      if (members.length >= MAX_MEMBERS) throw notABundle(origin, `it contains more than ${MAX_MEMBERS} files`);
      const member = await readMember(folder, `${part}/${name}`, origin);
      size += member.bytes.length;
      if (size > MAX_BUNDLE_BYTES) throw notABundle(origin, `it is larger than ${MAX_BUNDLE_BYTES / 1024 ** 2} MiB`);
      members.push(member);
    }
  }
  return fromMembers(members, origin);
}

/** Writes a bundle into a folder. Throws if the folder exists and is not empty. */
export async function writeBundleFolder(folder: string, bundle: Bundle): Promise<void> {
  const isTaken = await isUsed(folder);
  if (isTaken) {
    throw new DiscoveryError("INVALID_REQUEST", `${folder} exists and is not an empty folder.`, {
      hint: "Choose a folder that does not exist, or a file name that ends in .tgz.",
    });
  }
  try {
    for (const part of PARTS) await mkdir(join(folder, part), { recursive: true });
    for (const { name, bytes } of toMembers(bundle)) await writeFile(join(folder, name), bytes, { flag: "wx" });
  } catch (error) {
    for (const part of PARTS) await rm(join(folder, part), { recursive: true, force: true }).catch(() => undefined);
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new DiscoveryError("INVALID_REQUEST", `${folder} could not be written (${code}).`, {
      hint: "Choose a folder that you can write to.",
      cause: error,
    });
  }
}

async function isUsed(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function readMember(folder: string, name: string, origin: string): Promise<BundleMember> {
  const path = join(folder, name);
  await assertKind(path, "file", origin);
  const read = await readBytes(path, MAX_MEMBER_BYTES);
  if (read.kind === "bytes") return { name, bytes: read.bytes };
  const reason = read.kind === "too-large" ? "is too large" : "cannot be read";
  throw notABundle(origin, `${JSON.stringify(name)} ${reason}`);
}

/**
 * Throws if the path is not a file or folder as expected. Rejects symbolic links, because a link could include a file
 * from outside the folder.
 */
async function assertKind(path: string, kind: "file" | "folder", origin: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (kind === "file" ? found?.isFile() : found?.isDirectory()) return;
  throw notABundle(origin, `${JSON.stringify(path)} is not a regular ${kind}`);
}

async function namesIn(folder: string, origin: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    throw notABundle(origin, `${folder} cannot be read`, error);
  }
}
