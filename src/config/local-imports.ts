import { statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../model/json.js";
import { type Reference, referencesInText } from "./references.js";
import { readRegularFile } from "../util/regular-file.js";

const MAX_FILES = 500;
const MAX_REFERENCES = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
export const LIMITS = `${MAX_FILES} files, ${MAX_REFERENCES} import specifiers or 16 MiB`;

/** A source file of a configuration that is a program, such as `anygpt.config.ts`. */
export interface LocalFile {
  readonly bytes: Uint8Array;
  /** The paths of the imported files, by import specifier. Files loaded with `require` are not included. */
  readonly links: ReadonlyMap<string, string>;
  /** Whether the file calls `require` for another file, which the module loader then reads itself. */
  readonly requires: boolean;
}

/**
 * The files of a program, by path: the program itself and all files that it imports, directly or indirectly, by a
 * relative or absolute path. If a specifier can mean several files, all of them are included. Undefined if the limits
 * are exceeded. Packages are not included, and neither are computed paths, which are unknown until the program runs.
 */
export async function findLocalFiles(file: string, text: string): Promise<ReadonlyMap<string, LocalFile> | undefined> {
  const found = new Map<string, LocalFile>();
  const bytesOf = new Map<string, Uint8Array>([[file, Buffer.from(text)]]);
  const queue = [file];
  let remainingBytes = MAX_BYTES;
  let referenceCount = 0;
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const bytes = bytesOf.get(path) ?? new Uint8Array();
    const links = new Map<string, string>();
    const references = PROGRAM.test(path) ? localReferences(bytes) : [];
    found.set(path, { bytes, links, requires: references.some(({ isRequired }) => isRequired) });
    referenceCount += references.length;
    if (found.size > MAX_FILES || referenceCount > MAX_REFERENCES) return undefined;
    for (const { specifier, isRequired } of references) {
      const targets = await readTargets(specifier, dirname(path), { known: bytesOf, remainingBytes });
      if (targets === undefined) return undefined;
      const [first] = targets;
      if (isRequired) links.delete(specifier);
      else if (first !== undefined) links.set(specifier, first.path);
      for (const target of targets) {
        if (bytesOf.has(target.path)) continue;
        remainingBytes -= target.bytes.length;
        queue.push(target.path);
        bytesOf.set(target.path, target.bytes);
      }
    }
  }
  return found;
}

const PROGRAM = /\.[cm]?[jt]sx?$/;

function localReferences(bytes: Uint8Array): Reference[] {
  return referencesInText(Buffer.from(bytes).toString("utf8"));
}

const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".tsx", ".jsx"];

/**
 * The paths that a specifier may mean: the specifier itself, without its query string, or with percent-encoding
 * decoded.
 */
function pathsOf(specifier: string, folder: string): string[] {
  const plain = specifier.replace(/[?#][^]*$/, "");
  if (/^file:/i.test(plain)) return [toPath(plain) ?? []].flat();
  return [...new Set([plain, specifier, unescaped(plain)])].map((path) => resolve(folder, path));
}

/**
 * The files that a path may mean: the path itself, the TypeScript source of a JavaScript file, or the path with an
 * added extension.
 */
function filesOf(path: string): string[] {
  const extension = extname(path);
  const source = /^\.[cm]?jsx?$/.test(extension)
    ? [`${path.slice(0, -extension.length)}${extension.replace("j", "t")}`]
    : [];
  return [path, ...source, ...EXTENSIONS.map((ending) => `${path}${ending}`)];
}

function indexesOf(folder: string): string[] {
  return EXTENSIONS.map((ending) => resolve(folder, `index${ending}`));
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function toPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

interface Target {
  readonly path: string;
  readonly bytes: Uint8Array;
}

interface Reading {
  readonly known: ReadonlyMap<string, Uint8Array>;
  /** The number of bytes that may still be read. */
  readonly remainingBytes: number;
}

/** All files that a specifier may mean, most likely first; undefined if one exceeds the remaining bytes. */
async function readTargets(specifier: string, folder: string, reading: Reading): Promise<Target[] | undefined> {
  const paths = pathsOf(specifier, folder);
  const manifests = await readAll(
    paths.map((path) => resolve(path, "package.json")),
    reading,
  );
  const mains = (manifests ?? []).flatMap(({ path, bytes }) => {
    const main = mainOf(bytes);
    return main === undefined ? [] : [resolve(dirname(path), main)];
  });
  const files = [...paths.flatMap(filesOf), ...mains.flatMap((main) => [...filesOf(main), ...indexesOf(main)])];
  const targets = await readAll([...files, ...paths.flatMap(indexesOf)], reading);
  if (targets === undefined || manifests === undefined) return undefined;
  // The package.json of a folder decides which of its files is run, so it is part of the trusted content.
  return targets.length === 0 ? [] : [...targets, ...manifests];
}

function mainOf(manifest: Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(manifest).toString("utf8"));
    return isJsonObject(value) && typeof value["main"] === "string" ? value["main"] : undefined;
  } catch {
    return undefined;
  }
}

async function readAll(paths: readonly string[], { known, remainingBytes }: Reading): Promise<Target[] | undefined> {
  const targets: Target[] = [];
  let left = remainingBytes;
  for (const path of new Set(paths)) {
    const bytes = known.get(path) ?? (await readWithin(path, left));
    if (bytes === "too large") return undefined;
    if (bytes === undefined) continue;
    if (!known.has(path)) left -= bytes.length;
    targets.push({ path, bytes });
  }
  return targets;
}

async function readWithin(path: string, remainingBytes: number): Promise<Uint8Array | "too large" | undefined> {
  const size = sizeOf(path);
  if (size === undefined) return undefined;
  return size > remainingBytes ? "too large" : await readRegularFile(path).catch(() => undefined);
}

/**
 * The size of a regular file. Most candidate paths do not exist, and for these a synchronous stat is ten times faster.
 */
function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    // Reading a named pipe would block until a writer opens it.
    return stats?.isFile() === true ? stats.size : undefined;
  } catch {
    return undefined;
  }
}
