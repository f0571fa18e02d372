// Finds all servers that the gateway uses: those in the configuration itself, in its `sources` and in tool files. If
// there is no configuration, the servers of all MCP clients on this machine.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { parse, resolve } from "node:path";
import { compileAdapter, isRemote } from "../adapters/compile.js";
import type { LoadedConfig } from "../config/load.js";
import type { Config } from "../config/options.js";
import { isOwnFolder } from "../config/locate.js";
import type { Variables } from "../config/variables.js";
import type { ServerConnection, ServerDefinition } from "../model/server.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import { ALL_CLIENTS, type Collected, collectServers, NO_SERVERS } from "../sources/collect.js";
import { identity } from "../sources/merge.js";
import { switchedOffEntries, switchedOffNames } from "../sources/switched-off.js";
import type { Store } from "../store/store.js";
import { findToolFiles, keyFolder, toolFolders, withToolFiles } from "./tool-files.js";
import type { ReadToolFiles } from "../toolfiles/read-tool-files.js";

export interface ServersParts {
  readonly loaded: LoadedConfig;
  readonly runtime: RuntimeEnvironment;
  readonly variables: Variables;
  /** The stored versions of tool files that the gateway has read before. */
  readonly versions: Store["toolFiles"];
  /** Set during a reload: the servers of the previous configuration. */
  readonly previous: FoundServers | undefined;
}

/** The servers and tool rules of a configuration, with the tool files that were read. */
export interface FoundServers extends Collected {
  readonly toolFiles: ReadToolFiles;
}

/** The names of the servers that the configuration disables. */
export function disabledNames({ servers }: Pick<Config, "servers">): string[] {
  return switchedOffEntries(servers).map(({ name }) => name);
}

export async function findConfiguredServers(parts: ServersParts): Promise<FoundServers> {
  const { loaded, runtime, versions, previous } = parts;
  const [collected, toolFiles] = await Promise.all([
    collect(parts),
    findToolFiles({ loaded, runtime, versions, previous: previous?.toolFiles }),
  ]);
  const { servers: all, notices } = await withToolFiles(collected.servers, toolFiles, runtime);
  // `collect` has already removed disabled servers that come from `sources`. The servers from tool files were added
  // after that, so disabled ones are removed here.
  const switchedOff = switchedOffNames(loaded.config.servers);
  const servers = all.filter(({ name }) => !switchedOff.has(identity(name)));
  const folders = toolFolders(loaded, runtime);
  return {
    ...collected,
    servers,
    toolFiles,
    notices: [...collected.notices, ...notices],
    files: [
      ...collected.files,
      ...folders,
      ...(folders.length === 0 ? [] : [keyFolder(runtime.stateFolder)]),
      ...[...toolFiles.files, ...toolFiles.refused].map(({ path }) => path),
    ],
  };
}

async function collect({ loaded, runtime, variables, previous }: ServersParts): Promise<Collected> {
  const { config, baseDir, file, origin } = loaded;
  const { home, cwd, env, trust } = runtime;
  if (!config.enabled) return NO_SERVERS;
  // The home folder of a service account may not exist. The root folder is used then, because a process cannot start in
  // a folder that does not exist.
  const ownFolder = existsSync(home) ? home : parse(resolve(home)).root;
  const collected = await collectServers({
    servers: config.servers,
    ...(config.sources === "all" ? { sources: ALL_CLIENTS, isImplicit: true } : { sources: config.sources }),
    baseDir,
    home,
    folder: loaded.startDir === home ? ownFolder : loaded.startDir,
    ownFolder,
    isProjectConfig: origin === "project",
    trustsFolder: loaded.trustsFolder && origin !== "project",
    system: { platform: process.platform, home, cwd, env },
    own: runtime.own(),
    resolve: (text) => variables.resolve(text),
    isTrusted: ({ path, bytes }) => isOwnFolder(runtime) || trust.isTrusted(path, bytes),
    ...(file === undefined ? {} : { file }),
    previous,
  });
  return await withAdapters(collected, loaded, runtime);
}

/**
 * Adds the configured REST APIs (adapters) as servers. An adapter replaces a server of the same name that comes from
 * `servers` or `sources`.
 */
async function withAdapters(
  collected: Collected,
  loaded: LoadedConfig,
  { home }: RuntimeEnvironment,
): Promise<Collected> {
  const { config, baseDir, file } = loaded;
  const wanted = config.adapters.filter(({ enabled }) => enabled);
  if (wanted.length === 0) return collected;
  const locations = { home, baseDir, origin: file ?? "inline" };
  const owned = loaded.origin === "project" ? {} : ({ isOwn: true } as const);
  const adapters = await Promise.all(
    wanted.map((entry) => withRevision({ ...compileAdapter(entry, locations), ...owned })),
  );
  const names = new Set(adapters.map(({ name }) => name));
  const replaced = collected.servers.filter(({ name }) => names.has(name));
  return {
    ...collected,
    servers: [...collected.servers.filter(({ name }) => !names.has(name)), ...adapters],
    notices: [
      ...collected.notices,
      ...replaced.map(
        ({ name, origin }) => `The server "${name}" from ${origin} was skipped, because an adapter has the same name.`,
      ),
    ],
    files: [...collected.files, ...adapters.flatMap(({ connection }) => documentFile(connection))],
  };
}

/**
 * Adds the modification time and size of a REST API's document file to its connection, so that a changed file counts as
 * a changed connection.
 */
async function withRevision(definition: ServerDefinition): Promise<ServerDefinition> {
  const { connection } = definition;
  const [file] = documentFile(connection);
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  if (found === undefined || connection.kind !== "rest") return definition;
  return { ...definition, connection: { ...connection, revision: `${found.mtimeMs}-${found.size}` } };
}

function documentFile(connection: ServerConnection): string[] {
  return connection.kind === "rest" && !isRemote(connection.document) ? [connection.document] : [];
}
