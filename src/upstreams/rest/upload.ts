// The path of a file or a data: address comes in, its bytes go out, if the person allowed the folder that it really lies in.
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import type { DiscoveryError } from "../../errors.js";
import { isInside } from "../../util/inside.js";
import { wrongArgument } from "./wrong-argument.js";

/** All files of a call together. */
export const LARGEST_UPLOAD = 50 * 1024 * 1024;

export interface UploadParts {
  readonly server: string;
  /** Folders, absolute. */
  readonly folders: readonly string[];
  /** What the other files of the call leave, if there are any. */
  readonly leftBytes?: number;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType?: string;
}

export async function readUpload(argument: string, value: unknown, parts: UploadParts): Promise<Upload> {
  if (typeof value !== "string" || value === "") throw wrongArgument(argument, "is not the path of a file");
  const { leftBytes = LARGEST_UPLOAD } = parts;
  if (value.startsWith("data:")) return readData(argument, value, leftBytes);
  const file = await findAllowed(argument, value, parts);
  // The last step must not be a link any more, and a pipe must not hold us up.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
    throw unreadable(argument);
  });
  try {
    const { size, isFile } = await handle.stat().then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) throw wrongArgument(argument, "is not the path of a file");
    if (size > leftBytes) throw tooLarge(argument);
    // Whoever swapped a folder for a link in between has gained nothing.
    if ((await realpath(file)) !== file) throw notAllowed(argument, parts);
    const bytes = await handle.readFile();
    if (bytes.byteLength > leftBytes) throw tooLarge(argument);
    return { name: basename(value), bytes };
  } finally {
    await handle.close();
  }
}

/** Every link resolved, on both sides: a link inside the folder may lead out of it. */
async function findAllowed(argument: string, path: string, parts: UploadParts): Promise<string> {
  if (path.includes("\0")) throw wrongArgument(argument, "is not the path of a file");
  let exists = false;
  for (const folder of parts.folders) {
    const [root, file] = await Promise.all([folder, isAbsolute(path) ? path : resolve(folder, path)].map(realOrNone));
    if (file !== undefined) exists = true;
    if (root !== undefined && file !== undefined && isInside(root, file)) return file;
  }
  // Outside of the folders nobody learns which files exist.
  throw exists || parts.folders.length === 0 || isAbsolute(path) ? notAllowed(argument, parts) : unreadable(argument);
}

function realOrNone(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function readData(argument: string, value: string, leftBytes: number): Upload {
  const [, contentType = "", base64] = /^data:([\w.+/-]*)(?:;[\w.+=-]+?)*?(;base64)?,/i.exec(value) ?? [];
  const data = value.slice(value.indexOf(",") + 1);
  if (base64 === undefined || !/^[\w+/-]*={0,2}$/.test(data)) {
    throw wrongArgument(argument, 'is not of the form "data:type;base64,…"');
  }
  const bytes = Buffer.from(data, "base64");
  if (bytes.byteLength > leftBytes) throw tooLarge(argument);
  return { name: "file", bytes, ...(contentType === "" ? {} : { contentType }) };
}

function notAllowed(argument: string, { server, folders }: UploadParts): DiscoveryError {
  const hint =
    folders.length === 0
      ? `No folder is allowed yet: the person may write one into adapters.${server}.uploads.`
      : `Files may be sent from ${folders.join(", ")}; the person may add a folder to adapters.${server}.uploads.`;
  return wrongArgument(argument, "names a file outside of the folders that files may be sent from", hint);
}

function unreadable(argument: string): DiscoveryError {
  return wrongArgument(argument, "names a file that cannot be read");
}

function tooLarge(argument: string): DiscoveryError {
  return wrongArgument(argument, `names a file that makes more than ${LARGEST_UPLOAD / 1024 / 1024} MiB in one call`);
}
