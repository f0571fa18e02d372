// The public directory of MCP servers: an offline file of this package, read when the first question needs it. Nothing here uses the network.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { DiscoveryError } from "../errors.js";
import type { Meaning } from "../search/meaning/meaning.js";
import type { DirectoryEntry } from "./entry.js";
import { directoryFile } from "./file.js";
import { createServerRanker, type ServerRanker, type Suggestion } from "./rank.js";

export interface Directory {
  /** Servers that may do what the query asks for, best first; none when nothing in the directory fits. */
  search(query: string, limit: number): Promise<readonly Suggestion[]>;
  /** The entry of that name: of the package, or in the MCP registry. */
  get(name: string): Promise<DirectoryEntry | undefined>;
}

export interface DirectoryParts {
  /** The directory file; the one of this package by default. */
  readonly file?: string;
  /** Compares texts by meaning; without it words alone count. */
  readonly meaning?: (() => Promise<Meaning | undefined>) | undefined;
}

/** Code run from `src/` and a bundled chunk are two folders below the package's root, a bundled entry one. */
const PLACES = ["../../directory/servers.json.gz", "../directory/servers.json.gz"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const MOST_BYTES = 64 * 1024 * 1024;

export function openDirectory({ file, meaning }: DirectoryParts = {}): Directory {
  let loading: Promise<readonly DirectoryEntry[]> | undefined;
  let indexing: Promise<ServerRanker> | undefined;
  const entries = (): Promise<readonly DirectoryEntry[]> => {
    loading ??= readDirectory(file === undefined ? PLACES : [file]);
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
  };
}

async function readDirectory(places: readonly string[]): Promise<readonly DirectoryEntry[]> {
  try {
    const bytes = await readFirst(places);
    const text = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES });
    return directoryFile.parse(JSON.parse(text.toString("utf8"))).servers;
  } catch (error) {
    throw new DiscoveryError("CONFIGURATION_ERROR", "The directory of public MCP servers could not be read.", {
      hint: "Install this package again, or ask the MCP registry with --online.",
      cause: error,
    });
  }
}

async function readFirst([place = "", ...others]: readonly string[]): Promise<Buffer> {
  try {
    return await readFile(place);
  } catch (error) {
    if (others.length === 0) throw error;
    return await readFirst(others);
  }
}
