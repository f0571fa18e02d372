// One configuration comes in, the servers that it amounts to go out: its own, those of its sources, and, where there is no
// configuration at all, those of every program on this machine.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { parse, resolve } from "node:path";
import { compileAdapter, isRemote } from "./adapters/compile.js";
import type { LoadedConfig } from "./config/load.js";
import { isOwnFolder } from "./config/locate.js";
import type { Variables } from "./config/variables.js";
import type { Connection, ServerDefinition } from "./model/server.js";
import type { Place } from "./place.js";
import { ALL_CLIENTS, type Collected, collectServers, NO_SERVERS } from "./sources/collect.js";
import { identity } from "./sources/merge.js";
import { switchedOffNames } from "./sources/switched-off.js";
import type { Store } from "./store/store.js";
import { findToolFiles, keyFolder, toolFolders, withToolFiles } from "./tool-files.js";
import type { ReadToolFiles } from "./toolfiles/read-tool-files.js";

export interface ServersParts {
  readonly loaded: LoadedConfig;
  readonly place: Place;
  readonly variables: Variables;
  /** Of tool files: which are newer than which was seen before. */
  readonly versions: Store["toolFiles"];
  /** What the configuration before amounted to. */
  readonly previous: FoundServers | undefined;
}

/** What a configuration amounts to, with the files that its folder adds. */
export interface FoundServers extends Collected {
  readonly toolFiles: ReadToolFiles;
}

export async function findServers(parts: ServersParts): Promise<FoundServers> {
  const { loaded, place, versions, previous } = parts;
  const [collected, toolFiles] = await Promise.all([
    collect(parts),
    findToolFiles({ loaded, place, versions, previous: previous?.toolFiles }),
  ]);
  const { servers: all, notices } = await withToolFiles(collected.servers, toolFiles, place);
  // The servers of tool files are joined after those of the sources were left out.
  const switchedOff = switchedOffNames(loaded.config.servers);
  const servers = all.filter(({ name }) => !switchedOff.has(identity(name)));
  const folders = toolFolders(loaded, place);
  return {
    ...collected,
    servers,
    toolFiles,
    notices: [...collected.notices, ...notices],
    files: [
      ...collected.files,
      ...folders,
      ...(folders.length === 0 ? [] : [keyFolder(place.stateFolder)]),
      ...[...toolFiles.files, ...toolFiles.refused].map(({ path }) => path),
    ],
  };
}

async function collect({ loaded, place, variables, previous }: ServersParts): Promise<Collected> {
  const { config, baseDir, file, origin } = loaded;
  const { home, cwd, env, trust } = place;
  if (!config.enabled) return NO_SERVERS;
  // Accounts of services have a home that does not exist, and nothing can start there.
  const ownFolder = existsSync(home) ? home : parse(resolve(home)).root;
  const collected = await collectServers({
    servers: config.servers,
    ...(config.sources === "all" ? { sources: ALL_CLIENTS, isImplicit: true } : { sources: config.sources }),
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
  return await withAdapters(collected, loaded, place);
}

/** REST APIs are servers like any other. What a person wrote goes before what another program has under the same name. */
async function withAdapters(collected: Collected, loaded: LoadedConfig, { home }: Place): Promise<Collected> {
  const { config, baseDir, file } = loaded;
  const wanted = config.adapters.filter(({ enabled }) => enabled);
  if (wanted.length === 0) return collected;
  const places = { home, baseDir, origin: file ?? "inline" };
  const owned = loaded.origin === "project" ? {} : ({ isOwn: true } as const);
  const adapters = await Promise.all(
    wanted.map((entry) => withRevision({ ...compileAdapter(entry, places), ...owned })),
  );
  const names = new Set(adapters.map(({ name }) => name));
  const left = collected.servers.filter(({ name }) => names.has(name));
  return {
    ...collected,
    servers: [...collected.servers.filter(({ name }) => !names.has(name)), ...adapters],
    notices: [
      ...collected.notices,
      ...left.map(({ name, origin }) => `The server "${name}" of ${origin} was left out: an adapter has its name.`),
    ],
    files: [...collected.files, ...adapters.flatMap(({ connection }) => documentFile(connection))],
  };
}

/** A document that was changed is another one: its tools are read anew. */
async function withRevision(definition: ServerDefinition): Promise<ServerDefinition> {
  const { connection } = definition;
  const [file] = documentFile(connection);
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  if (found === undefined || connection.kind !== "rest") return definition;
  return { ...definition, connection: { ...connection, revision: `${found.mtimeMs}-${found.size}` } };
}

function documentFile(connection: Connection): string[] {
  return connection.kind === "rest" && !isRemote(connection.document) ? [connection.document] : [];
}
