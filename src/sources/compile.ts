import type { ServerConnection, OAuthSettings, ServerDefinition } from "../model/server.js";
import { absolutePath, expandHome } from "../util/home-path.js";
import type { ServerEntry } from "./options.js";
import { escapeText } from "./placeholders.js";

export interface SourcePaths {
  readonly home: string;
  /** The folder from which relative paths in the entry start. */
  readonly baseDir: string;
  /** The file that contains the entry, or `inline`. */
  readonly origin: string;
}

/** Converts a configuration entry into a server definition. */
export function compileServer(entry: ServerEntry, paths: SourcePaths): ServerDefinition {
  return {
    name: entry.name,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    connection: compileConnection(entry.connection ?? entry, paths),
    manifest: (entry.tools ?? []).map(({ name, description, inputSchema = { type: "object" } }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema,
    })),
    origin: paths.origin,
  };
}

type ConnectionEntry = NonNullable<ServerEntry["connection"]>;

function compileConnection(entry: ConnectionEntry, paths: SourcePaths): ServerConnection {
  const { url, command } = entry;
  if (url !== undefined) {
    const { headers = {}, oauth } = entry;
    const signIn = oauth === undefined ? {} : { oauth: oauth as OAuthSettings };
    return { kind: entry.type === "sse" ? "sse" : "http", url, headers, ...signIn };
  }
  const cwd = entry.cwd === undefined ? undefined : workingFolder(entry.cwd, paths);
  return {
    kind: "stdio",
    command: expandHome(command ?? "", paths.home),
    args: entry.args ?? [],
    env: entry.env ?? {},
    ...(cwd === undefined ? {} : { cwd }),
    ...(entry.inheritEnv === undefined ? {} : { inheritEnv: entry.inheritEnv }),
    ...(entry.integrity === undefined ? {} : { integrity: entry.integrity }),
  };
}

function workingFolder(cwd: string, paths: SourcePaths): string {
  return cwd.startsWith("${") ? cwd : absolutePath(cwd, paths);
}

/** Returns the path of the entry's env file, if it has one. */
export function envFileOf(entry: ServerEntry, paths: SourcePaths): { readonly envFile?: string } {
  const written = (entry.connection ?? entry).envFile;
  return written === undefined ? {} : { envFile: absolutePath(written, paths) };
}

/** Sets the working folder of a definition that starts a process and has no working folder. */
export function inFolder(definition: ServerDefinition, folder: string | undefined): ServerDefinition {
  const { connection } = definition;
  if (folder === undefined || connection.kind !== "stdio" || connection.cwd !== undefined) return definition;
  return { ...definition, connection: { ...connection, cwd: escapeText(folder) } };
}
