// The directory of public MCP servers: a file in this package, read at the first query. This module does not use the
// network.
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { DiscoveryError } from "../errors.js";
import type { Meaning } from "../search/meaning/meaning.js";
import { packageRoot } from "../util/package-root.js";
import { readRegularFile } from "../util/regular-file.js";
import type { DirectoryEntry } from "./entry.js";
import { directoryFile } from "./file.js";
import { toServerName } from "./server-draft.js";
import { createServerRanker, type ServerRanker, type Suggestion } from "./rank.js";

export interface Directory {
  /** Servers that match the query, best first; empty if none matches. */
  search(query: string, limit: number): Promise<readonly Suggestion[]>;
  /** The entry with this package name or this name in the MCP registry. */
  get(name: string): Promise<DirectoryEntry | undefined>;
}

export interface NamedDirectory extends Directory {
  /** Package names whose short name is or contains `name`: `@upstash/context7-mcp` for `context7`. */
  namedLike(name: string): Promise<readonly string[]>;
}

export interface DirectoryParts {
  /** Path of the directory file. Default: the file in this package. */
  readonly file?: string;
  /** Loads the model that compares texts by meaning. Without a model, only words are compared. */
  readonly meaning?: (() => Promise<Meaning | undefined>) | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;

export function openDirectory({ file, meaning }: DirectoryParts = {}): NamedDirectory {
  let loading: Promise<readonly DirectoryEntry[]> | undefined;
  let indexing: Promise<ServerRanker> | undefined;
  const entries = (): Promise<readonly DirectoryEntry[]> => {
    loading ??= readDirectory(file ?? join(packageRoot(), "directory/servers.json.gz"));
    return loading;
  };
  const ranker = (): Promise<ServerRanker> => {
    indexing ??= Promise.all([entries(), meaning?.()]).then(([all, model]) => createServerRanker(all, model));
    return indexing;
  };
  return {
    search: async (query, limit) => (await ranker()).search(query, limit),
    async get(name) {
      const all = await entries();
      return all.find((entry) => entry.name === name) ?? all.find((entry) => entry.registryName === name);
    },
    async namedLike(name) {
      const wanted = name.toLowerCase();
      const all = await entries();
      const short = all.filter((entry) => toServerName(entry) === wanted);
      const near = all.filter(
        (entry) => !short.includes(entry) && toServerName(entry).split(/[-_.]/u).includes(wanted),
      );
      return [...short, ...near].map((entry) => entry.name);
    },
  };
}

async function readDirectory(file: string): Promise<readonly DirectoryEntry[]> {
  try {
    const text = await promisify(gunzip)(await readRegularFile(file), { maxOutputLength: MAX_BYTES });
    return directoryFile.parse(JSON.parse(text.toString("utf8"))).servers;
  } catch (error) {
    throw new DiscoveryError("CONFIGURATION_ERROR", "The directory of public MCP servers could not be read.", {
      hint: "Install this package again, or search the MCP registry with --online.",
      cause: error,
    });
  }
}
