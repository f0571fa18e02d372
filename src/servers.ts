// One configuration comes in, the servers that it amounts to go out: its own, those of its sources, and, where there is no
// configuration at all, those of every program on this machine.
import { existsSync } from "node:fs";
import { parse, resolve } from "node:path";
import type { LoadedConfig } from "./config/load.js";
import { isOwnFolder } from "./config/locate.js";
import type { Variables } from "./config/variables.js";
import type { Place } from "./place.js";
import { ALL_CLIENTS, type Collected, collectServers, NO_SERVERS } from "./sources/collect.js";

export interface ServersParts {
  readonly loaded: LoadedConfig;
  readonly place: Place;
  readonly variables: Variables;
  /** What the configuration before amounted to. */
  readonly previous: Collected | undefined;
}

export async function findServers({ loaded, place, variables, previous }: ServersParts): Promise<Collected> {
  const { config, baseDir, file, origin } = loaded;
  const { home, cwd, env, trust } = place;
  if (!config.enabled) return NO_SERVERS;
  // Accounts of services have a home that does not exist, and nothing can start there.
  const ownFolder = existsSync(home) ? home : parse(resolve(home)).root;
  return await collectServers({
    servers: config.servers,
    ...(isImplicit(loaded) ? { sources: ALL_CLIENTS, isImplicit: true } : { sources: config.sources }),
    baseDir,
    home,
    folder: loaded.startDir === home ? ownFolder : loaded.startDir,
    ownFolder,
    isProjects: origin === "project",
    trustsFolder: loaded.trustsFolder && origin !== "project",
    system: { platform: process.platform, home, cwd, env },
    own: place.own(),
    resolve: (text) => variables.resolve(text),
    isTrusted: ({ path, bytes }) => isOwnFolder(place) || trust.isTrusted(path, bytes),
    ...(file === undefined ? {} : { file }),
    previous,
  });
}

/** Nobody has said which servers are wanted, so those that the person has already are. */
export function isImplicit({ origin }: Pick<LoadedConfig, "origin">): boolean {
  return origin === "defaults";
}
