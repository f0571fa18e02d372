import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../model/json.js";
import { type Reference, referencesIn } from "./references.js";

const MOST_FILES = 500;
const MOST_REFERENCES = 5_000;
const MOST_BYTES = 16 * 1024 * 1024;
export const LIMITS = `${MOST_FILES} files, ${MOST_REFERENCES} names of files or 16 MiB`;

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
 * they name. Where a name may stand for several files, all of them. Undefined when they are too many. Packages and paths that are computed while it runs are not found: nobody
 * can without running it.
 */
export async function findLocalFiles(file: string, text: string): Promise<ReadonlyMap<string, LocalFile> | undefined> {
  const found = new Map<string, LocalFile>();
  const bytesOf = new Map<string, Uint8Array>([[file, Buffer.from(text)]]);
  const queue = [file];
  let room = MOST_BYTES;
  let looked = 0;
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const bytes = bytesOf.get(path) ?? new Uint8Array();
    const links = new Map<string, string>();
    const references = PROGRAM.test(path) ? localReferences(bytes) : [];
    found.set(path, { bytes, links, requires: references.some(({ isRequired }) => isRequired) });
    looked += references.length;
    if (found.size > MOST_FILES || looked > MOST_REFERENCES) return undefined;
    for (const { specifier, isRequired } of references) {
      const targets = await readTargets(specifier, dirname(path), { known: bytesOf, room });
      if (targets === undefined) return undefined;
      const [first] = targets;
      if (isRequired) links.delete(specifier);
      else if (first !== undefined) links.set(specifier, first.path);
      for (const target of targets) {
        if (bytesOf.has(target.path)) continue;
        room -= target.bytes.length;
        queue.push(target.path);
        bytesOf.set(target.path, target.bytes);
      }
    }
  }
  return found;
}

const PROGRAM = /\.[cm]?[jt]sx?$/;

function localReferences(bytes: Uint8Array): Reference[] {
  return referencesIn(Buffer.from(bytes).toString("utf8"));
}

const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", ".tsx", ".jsx"];

/** The paths that a specifier may lead to, with what an address leaves out and with its escapes replaced. */
function pathsOf(specifier: string, folder: string): string[] {
  const plain = specifier.replace(/[?#][^]*$/, "");
  if (/^file:/i.test(plain)) return [toPath(plain) ?? []].flat();
  return [...new Set([plain, specifier, unescaped(plain)])].map((path) => resolve(folder, path));
}

/** The files that a path may stand for: as written, as the TypeScript it is compiled from, or completed. */
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
  /** Bytes that may still be read. */
  readonly room: number;
}

/** All files that a specifier may stand for, the likeliest first; undefined when one is larger than there is room for. */
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
  // What a folder says of itself decides which of its files is run.
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

async function readAll(paths: readonly string[], { known, room }: Reading): Promise<Target[] | undefined> {
  const targets: Target[] = [];
  let left = room;
  for (const path of new Set(paths)) {
    const bytes = known.get(path) ?? (await readWithin(path, left));
    if (bytes === "too large") return undefined;
    if (bytes === undefined) continue;
    if (!known.has(path)) left -= bytes.length;
    targets.push({ path, bytes });
  }
  return targets;
}

async function readWithin(path: string, room: number): Promise<Uint8Array | "too large" | undefined> {
  const size = sizeOf(path);
  if (size === undefined) return undefined;
  return size > room ? "too large" : await readFile(path).catch(() => undefined);
}

/** Hardly any of the places that a name may stand for is there: not waiting for each is ten times faster. */
function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    // Reading a named pipe would wait for a writer, perhaps for ever.
    return stats?.isFile() === true ? stats.size : undefined;
  } catch {
    return undefined;
  }
}
