import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { decodeUtf8 } from "../util/document/text.js";
import { readRegularFile } from "../util/regular-file.js";
import { pathsOf, type System } from "./system.js";

const KIB = 1024;
const MAX_BYTES = 10 * KIB * KIB;
/** The maximum size of a project file. It is small, because the author of a project's files may be hostile. */
export const MAX_PROJECT_BYTES = 256 * KIB;
const MAX_MATCHES = 100;

/** A file that was read. `hash` is the SHA-256 of exactly the bytes that were parsed. */
export interface FileRead {
  readonly path: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export type FileContent =
  | { readonly kind: "text"; readonly text: string; readonly file: FileRead }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads a file of at most 10 MiB by default: `~/.claude.json` can have several MiB. */
export async function readWholeFile(path: string, maxBytes: number = MAX_BYTES): Promise<FileContent> {
  try {
    // Each start checks dozens of paths and few exist: one synchronous stat is ten times faster than an asynchronous
    // one.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "missing" };
    const bytes = await readRegularFile(path, { maxBytes });
    const content = decodeUtf8(bytes);
    if (content.kind !== "text") return content;
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { kind: "text", text: content.text, file: { path, hash, bytes } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    if (code === "EISDIR" || code === "NOT_A_REGULAR_FILE")
      return { kind: "unreadable", reason: "is not a regular file" };
    if (code === "TOO_LARGE") return { kind: "unreadable", reason: `is larger than ${sizeText(maxBytes)}` };
    return { kind: "unreadable", reason: `could not be read (${code})` };
  }
}

function sizeText(bytes: number): string {
  return bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;
}

/**
 * Returns the paths that match a pattern, sorted: `*` matches any text within one path segment. A pattern without `*`
 * is returned unchanged.
 */
export function expandPattern(pattern: string, system: System): readonly string[] {
  if (!pattern.includes("*")) return [pattern];
  const paths = pathsOf(system);
  const { root } = paths.parse(pattern);
  const parts = pattern.slice(root.length).split(paths.sep);
  let found = [root];
  for (const part of parts) {
    found = found.flatMap((folder) => childrenOf(folder, part, system)).slice(0, MAX_MATCHES);
  }
  return found;
}

function childrenOf(folder: string, part: string, system: System): string[] {
  const { join } = pathsOf(system);
  if (!part.includes("*")) return [join(folder, part)];
  const [before = "", after = ""] = part.split("*");
  return namesIn(folder)
    .filter((name) => name.length >= part.length - 1 && name.startsWith(before) && name.endsWith(after))
    .sort()
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}
