import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { toText } from "../util/document/text.js";
import { pathsOf, type System } from "./system.js";

const KIB = 1024;
const LARGEST_BYTES = 10 * KIB * KIB;
/** Whoever wrote a project's files may want us to be busy with them. */
export const LARGEST_PROJECT_BYTES = 256 * KIB;
const MOST_MATCHES = 100;

/** What is known of a file that was looked at. `hash` is the SHA-256 of exactly the bytes that were parsed. */
export interface FileRead {
  readonly path: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export type FileContent =
  | { readonly kind: "text"; readonly text: string; readonly file: FileRead }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads a file of at most 10 MiB, unless told otherwise: `~/.claude.json` of a busy person has several. */
export async function readWholeFile(path: string, largestBytes: number = LARGEST_BYTES): Promise<FileContent> {
  try {
    // Dozens of places are looked at in every start and hardly any is there: not waiting for each is ten times faster.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "missing" };
    // Reading a named pipe would wait for a writer, perhaps for ever.
    if (!stats.isFile()) return { kind: "unreadable", reason: "is not a regular file" };
    if (stats.size > largestBytes) return { kind: "unreadable", reason: `is larger than ${sizeText(largestBytes)}` };
    const bytes = await readFile(path);
    const content = toText(bytes);
    if (content.kind !== "text") return content;
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { kind: "text", text: content.text, file: { path, hash, bytes } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "unreadable", reason: `could not be read (${code})` };
  }
}

function sizeText(bytes: number): string {
  return bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;
}

/** The paths that a pattern stands for, in order: in each of its parts, `*` is any text. Without one it is the path itself. */
export function expandPattern(pattern: string, system: System): readonly string[] {
  if (!pattern.includes("*")) return [pattern];
  const paths = pathsOf(system);
  const { root } = paths.parse(pattern);
  const parts = pattern.slice(root.length).split(paths.sep);
  let found = [root];
  for (const part of parts) {
    found = found.flatMap((folder) => childrenOf(folder, part, system)).slice(0, MOST_MATCHES);
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
