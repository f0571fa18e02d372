// Comes in: a file of a project and its bytes; goes out: whether the person has said yes to exactly these. Refuses to know
// what the file means.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { isJsonObject } from "../model/json.js";
import { sha256 } from "../util/sha256.js";
import { writePrivateFile } from "../util/private-files.js";

export interface TrustParts {
  /** The folder of the records, under the state folder: one file each, so that many processes can write at once. */
  readonly folder: string;
  readonly now: () => number;
  /** Everything is trusted: for places, such as CI, where whoever starts the gateway has chosen the files. */
  readonly isOpen?: boolean;
}

export interface TrustEntry {
  readonly path: string;
  /** SHA-256 of the content that was trusted. */
  readonly sha256: string;
  readonly trustedAt: number;
}

export interface Trust {
  /** Whether the person trusted this file with exactly this content. Pass the bytes that will be used, not a promise of them. */
  isTrusted(path: string, bytes: Uint8Array): boolean;
  record(path: string, bytes: Uint8Array): Promise<void>;
  /** True when there was something to take back. */
  revoke(path: string): Promise<boolean>;
  list(): readonly TrustEntry[];
  /** The paths of those that lie in the folder or below it. */
  inFolder(folder: string): readonly string[];
}

/** The variable by which a CI job says that it has chosen the project itself. */
export const TRUST_VARIABLE = "ANYGPT_TRUST_PROJECT";

export function isTrustOpen(env: Readonly<Record<string, string | undefined>>): boolean {
  return /^(?:1|true|yes)$/i.test(env[TRUST_VARIABLE]?.trim() ?? "");
}

export function createTrust({ folder, now, isOpen = false }: TrustParts): Trust {
  const fileOf = (path: string): string => join(folder, `${sha256(path).slice(0, 32)}.json`);

  return {
    isTrusted(path, bytes) {
      if (isOpen) return true;
      const place = canonicalPath(path);
      const entry = readEntry(fileOf(place));
      return entry?.path === place && entry.sha256 === digestOf(bytes);
    },
    async record(path, bytes) {
      const place = canonicalPath(path);
      const entry: TrustEntry = { path: place, sha256: digestOf(bytes), trustedAt: now() };
      await writePrivateFile(fileOf(place), `${JSON.stringify(entry)}\n`);
    },
    async revoke(path) {
      const file = fileOf(canonicalPath(path));
      const isThere = readEntry(file) !== undefined;
      await rm(file, { force: true });
      return isThere;
    },
    list,
    inFolder(root) {
      const start = join(canonicalPath(join(root, "x")), "..");
      return list().flatMap(({ path }) =>
        path.startsWith(start.endsWith(sep) ? start : `${start}${sep}`) ? [path] : [],
      );
    },
  };

  function list(): readonly TrustEntry[] {
    const entries = namesIn(folder).flatMap((name) => readEntry(join(folder, name)) ?? []);
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/**
 * The folder's real path and the name in it. Not the real path of the file: a link in a strange folder to a trusted file
 * would make what the file says relative to it start programs of the strange folder.
 */
function canonicalPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** A byte order mark is no content. */
function digestOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf;
  return createHash("sha256")
    .update(hasMark ? bytes.subarray(3) : bytes)
    .digest("hex");
}

function readEntry(file: string): TrustEntry | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJsonObject(value)) return undefined;
    const { path, sha256: digest, trustedAt } = value;
    if (typeof path !== "string" || typeof digest !== "string" || typeof trustedAt !== "number") return undefined;
    return { path, sha256: digest, trustedAt };
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}
