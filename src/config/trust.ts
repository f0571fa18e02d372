// Records which content of a project's files the user has trusted.
import { createHash } from "node:crypto";
import { readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { isJsonObject } from "../model/json.js";
import { sha256 } from "../util/sha256.js";
import { writePrivateFile } from "../util/private-files.js";
import { readRegularTextSync } from "../util/regular-file.js";

export interface TrustParts {
  /**
   * The folder of the trust records, under the state folder: one file per record, so that many processes can write at
   * once.
   */
  readonly folder: string;
  readonly now: () => number;
  /** Trust every file: for environments such as CI, where the operator of the gateway chose the files. */
  readonly isOpen?: boolean;
}

export interface TrustEntry {
  readonly path: string;
  /** SHA-256 of the content that was trusted. */
  readonly sha256: string;
  readonly trustedAt: number;
}

export interface Trust {
  /**
   * Whether the user trusted this file with exactly this content. Pass the same bytes that will be used: the file may
   * change between two reads.
   */
  isTrusted(path: string, bytes: Uint8Array): boolean;
  record(path: string, bytes: Uint8Array): Promise<void>;
  /** Returns true if there was a record to remove. */
  revoke(path: string): Promise<boolean>;
  list(): readonly TrustEntry[];
  /** The paths of the trusted files in the folder or below it. */
  inFolder(folder: string): readonly string[];
}

/**
 * With the value 1, true or yes, this environment variable makes the gateway trust all project files, as in a CI job.
 */
export const TRUST_VARIABLE = "ANYGPT_TRUST_PROJECT";

export function isTrustOpen(env: Readonly<Record<string, string | undefined>>): boolean {
  return /^(?:1|true|yes)$/i.test(env[TRUST_VARIABLE]?.trim() ?? "");
}

export function createTrust({ folder, now, isOpen = false }: TrustParts): Trust {
  const fileOf = (path: string): string => join(folder, `${sha256(path).slice(0, 32)}.json`);

  return {
    isTrusted(path, bytes) {
      if (isOpen) return true;
      const canonical = canonicalPath(path);
      const entry = readEntry(fileOf(canonical));
      return entry?.path === canonical && entry.sha256 === digestOf(bytes);
    },
    async record(path, bytes) {
      const canonical = canonicalPath(path);
      const entry: TrustEntry = { path: canonical, sha256: digestOf(bytes), trustedAt: now() };
      await writePrivateFile(fileOf(canonical), `${JSON.stringify(entry)}\n`);
    },
    async revoke(path) {
      const file = fileOf(canonicalPath(path));
      const exists = readEntry(file) !== undefined;
      await rm(file, { force: true });
      return exists;
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
 * The real path of the file's folder, and the file's name. A file that is itself a link is not resolved: otherwise an
 * untrusted folder could link to a trusted file, and relative paths in that file would start programs of the untrusted
 * folder.
 */
function canonicalPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** SHA-256 of the content without a byte order mark. */
function digestOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf;
  return createHash("sha256")
    .update(hasMark ? bytes.subarray(3) : bytes)
    .digest("hex");
}

function readEntry(file: string): TrustEntry | undefined {
  try {
    const value: unknown = JSON.parse(readRegularTextSync(file));
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
