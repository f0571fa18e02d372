// Saves a tool's result: each binary item in one file, or the text if there are no binary items.
import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { type BinaryPart, describePart, type ResultParts } from "./result-parts.js";

export interface SaveTarget {
  /** The absolute path of the file to write. */
  readonly path: string;
  /** Replace an existing file. */
  readonly force: boolean;
}

export interface SavedFile {
  readonly file: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** The content, for display, such as `image (image/png, 12 KB)`. */
  readonly description: string;
}

/** Checks before the call that the result can be saved, so that the tool does not run in vain. */
export async function assertSavable({ path, force }: SaveTarget): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw invalidRequest(`${path} is a folder.`, "Name a file.");
  if (found !== undefined && !force)
    throw invalidRequest(`${path} already exists.`, "Name another file, or add --force.");
  const folder = dirname(path);
  await access(found === undefined ? folder : path, constants.W_OK).catch((error: unknown) => {
    throw invalidRequest(`${path} cannot be written (${codeOf(error)}).`, "Name a file in a folder that exists.");
  });
}

/** Writes a single item to the path, and several items to numbered files in the same folder. */
export async function saveResult({ text, binaries }: ResultParts, target: SaveTarget): Promise<SavedFile[]> {
  const items = binaries.length > 0 ? binaries : [toTextPart(text)];
  const saved: SavedFile[] = [];
  try {
    for (const item of items) {
      const file = items.length === 1 ? target.path : undefined;
      if (file !== undefined) await write(file, item.bytes, target.force);
      saved.push({
        file: file ?? (await writeNumbered(target, item.bytes, saved.length + 1)),
        mimeType: item.mimeType,
        bytes: item.bytes.length,
        description: describePart(item),
      });
    }
    return saved;
  } catch (error) {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `The tool ran, but its result was not saved in ${target.path} (${codeOf(error)}).`,
      {
        hint: [
          { action: "run-command", command: "anygpt mcp audit", purpose: "see the record of the call" },
          "Do not repeat a call that must not run twice.",
        ],
        executed: "yes",
      },
    );
  }
}

function toTextPart(text: string): BinaryPart {
  return { kind: "text", mimeType: "text/plain", bytes: Buffer.from(text) };
}

const MAX_TRIES = 10_000;

/**
 * Writes to `shot-1.png` or the next free name. It must not fail for an existing file, because the tool cannot run
 * again.
 */
async function writeNumbered({ path, force }: SaveTarget, bytes: Buffer, from: number): Promise<string> {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  for (let number = from; number < from + MAX_TRIES; number += 1) {
    const file = `${stem}-${number}${extension}`;
    try {
      await write(file, bytes, force);
      return file;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  const last = `${stem}-${from + MAX_TRIES - 1}${extension}`;
  throw Object.assign(new Error(`All files from ${stem}-${from}${extension} to ${last} exist.`), { code: "EEXIST" });
}

async function write(file: string, bytes: Buffer, force: boolean): Promise<void> {
  const handle = await open(file, force ? "w" : "wx");
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}

function invalidRequest(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
