// Reads a file or a data: URL for an upload. The user must have allowed the folder that really contains the file.
import { realpath } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import type { DiscoveryError } from "../../errors.js";
import { isInside } from "../../util/inside.js";
import { openRegularFile } from "../../util/regular-file.js";
import { wrongArgument } from "./wrong-argument.js";

/** Maximum size of all files of a call together. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface UploadParts {
  readonly server: string;
  /** Absolute paths of the allowed folders. */
  readonly folders: readonly string[];
  /** The remaining part of `MAX_UPLOAD_BYTES`, which other files of the call have not used. */
  readonly leftBytes?: number;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType?: string;
}

export async function readUpload(argument: string, value: unknown, parts: UploadParts): Promise<Upload> {
  if (typeof value !== "string" || value === "") throw wrongArgument(argument, "is not the path of a file");
  const { leftBytes = MAX_UPLOAD_BYTES } = parts;
  if (value.startsWith("data:")) return readData(argument, value, leftBytes);
  const file = await findAllowed(argument, value, parts);
  const handle = await openRegularFile(file, { refusesLink: true }).catch((error: NodeJS.ErrnoException) => {
    const isOther = error.code === "EISDIR" || error.code === "NOT_A_REGULAR_FILE";
    throw isOther ? wrongArgument(argument, "is not the path of a file") : unreadable(argument);
  });
  try {
    if ((await handle.stat()).size > leftBytes) throw tooLarge(argument);
    // Detects that a parent folder was replaced by a symbolic link in the meantime.
    if ((await realpath(file)) !== file) throw notAllowed(argument, parts);
    const bytes = await handle.readFile();
    if (bytes.byteLength > leftBytes) throw tooLarge(argument);
    return { name: basename(value), bytes };
  } finally {
    await handle.close();
  }
}

/**
 * The real path of a file in an allowed folder. Resolves symbolic links in both paths, because a link inside the folder
 * may lead out of it.
 */
async function findAllowed(argument: string, path: string, parts: UploadParts): Promise<string> {
  if (path.includes("\0")) throw wrongArgument(argument, "is not the path of a file");
  let exists = false;
  for (const folder of parts.folders) {
    const [root, file] = await Promise.all([folder, isAbsolute(path) ? path : resolve(folder, path)].map(realOrNone));
    if (file !== undefined) exists = true;
    if (root !== undefined && file !== undefined && isInside(root, file)) return file;
  }
  // Do not reveal which files exist outside the allowed folders.
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
      ? `The user can allow a folder in adapters.${server}.uploads.`
      : `The allowed folders are ${folders.join(", ")}. The user can add a folder to adapters.${server}.uploads.`;
  return wrongArgument(argument, "names a file outside the allowed upload folders", hint);
}

function unreadable(argument: string): DiscoveryError {
  return wrongArgument(argument, "names a file that cannot be read");
}

function tooLarge(argument: string): DiscoveryError {
  return wrongArgument(
    argument,
    `exceeds the limit of ${MAX_UPLOAD_BYTES / 1024 / 1024} MiB for the files of one call`,
  );
}
