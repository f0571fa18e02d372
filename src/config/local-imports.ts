import { readFile, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const MOST_FILES = 500;
const MOST_BYTES = 16 * 1024 * 1024;
export const LIMITS = `${MOST_FILES} files or 16 MiB`;

/** A file that a program is made of. */
export interface LocalFile {
  readonly bytes: Uint8Array;
  /** What it imports, by the text that stands in its import: the path of that file. What it requires is not among it. */
  readonly links: ReadonlyMap<string, string>;
  /** Whether it requires a file, which the loader then reads by itself. */
  readonly requires: boolean;
}

/**
 * The files that a program is made of, by path: itself, those that it names by a relative or absolute path, and those that
 * they name. Undefined when they are too many. Packages and paths that are computed while it runs are not found: nobody
 * can without running it.
 */
export async function findLocalFiles(file: string, text: string): Promise<ReadonlyMap<string, LocalFile> | undefined> {
  const found = new Map<string, LocalFile>();
  const bytesOf = new Map<string, Uint8Array>([[file, Buffer.from(text)]]);
  const queue = [file];
  let room = MOST_BYTES;
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const bytes = bytesOf.get(path) ?? new Uint8Array();
    const links = new Map<string, string>();
    const references = PROGRAM.test(path) ? referencesIn(bytes) : [];
    found.set(path, { bytes, links, requires: references.some(({ isRequired }) => isRequired) });
    if (found.size > MOST_FILES) return undefined;
    for (const { specifier, isRequired } of references) {
      const target = await readFirst(candidates(specifier, dirname(path)), { known: bytesOf, room });
      if (target === undefined) continue;
      if (target.bytes === undefined) return undefined;
      if (!bytesOf.has(target.path)) room -= target.bytes.length;
      if (isRequired) links.delete(specifier);
      else links.set(specifier, target.path);
      if (!bytesOf.has(target.path)) queue.push(target.path);
      bytesOf.set(target.path, target.bytes);
    }
  }
  return found;
}

const PROGRAM = /\.[cm]?[jt]sx?$/;
// Comments and texts that look like an import are taken for one: a file too many does no harm.
const REFERENCE =
  /\b(from|import|require|export)\s*(?:\(\s*)?(?:\/\*[^*]*\*\/\s*)?(["'`])((?:\.{1,2}\/|\.{1,2}(?=["'`])|\/|file:)[^"'`\n]*)\2/g;

/** Those that are required come last, so that they take back what an import of the same file said. */
function referencesIn(bytes: Uint8Array): { specifier: string; isRequired: boolean }[] {
  const matches = [...Buffer.from(bytes).toString("utf8").matchAll(REFERENCE)];
  const references = matches.map((match) => ({ specifier: match[3] ?? "", isRequired: match[1] === "require" }));
  return references.sort((a, b) => Number(a.isRequired) - Number(b.isRequired));
}

const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".tsx", ".jsx"];

/** The paths that a specifier may stand for: as written, as the TypeScript it is compiled from, completed, or a folder. */
function candidates(specifier: string, folder: string): string[] {
  const plain = specifier.replace(/[?#].*$/, "");
  const path = plain.startsWith("file:") ? toPath(plain) : resolve(folder, plain);
  if (path === undefined) return [];
  const extension = extname(path);
  const source = /^\.[cm]?js$/.test(extension)
    ? [`${path.slice(0, -extension.length)}${extension.replace("j", "t")}`]
    : [];
  const completed = EXTENSIONS.map((ending) => `${path}${ending}`);
  return [path, ...source, ...completed, ...EXTENSIONS.map((ending) => resolve(path, `index${ending}`))];
}

function toPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

interface Imported {
  readonly path: string;
  /** Undefined when it is larger than there is room for. */
  readonly bytes: Uint8Array | undefined;
}

interface Reading {
  readonly known: ReadonlyMap<string, Uint8Array>;
  readonly room: number;
}

async function readFirst(paths: readonly string[], { known, room }: Reading): Promise<Imported | undefined> {
  for (const path of paths) {
    const bytes = known.get(path);
    if (bytes !== undefined) return { path, bytes };
    const stats = await stat(path).catch(() => undefined);
    // Reading a named pipe would wait for a writer, perhaps for ever.
    if (stats?.isFile() !== true) continue;
    if (stats.size > room) return { path, bytes: undefined };
    const read = await readFile(path).catch(() => undefined);
    if (read !== undefined) return { path, bytes: read };
  }
  return undefined;
}
