import type { Connection, OAuthSettings, ServerDefinition } from "../model/server.js";
import { absolutePath, expandHome } from "../util/home-path.js";
import type { ServerEntry } from "./options.js";
import { escapeText } from "./placeholders.js";

export interface Places {
  readonly home: string;
  /** The folder that relative paths in the entry start from. */
  readonly baseDir: string;
  /** The file that the entry was written in, or `inline`. */
  readonly origin: string;
}

/** An entry as a person wrote it → the definition that the stages after this one know. */
export function compileServer(entry: ServerEntry, places: Places): ServerDefinition {
  return {
    name: entry.name,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    connection: compileConnection(entry.connection ?? entry, places),
    manifest: (entry.tools ?? []).map(({ name, description, inputSchema = { type: "object" } }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema,
    })),
    origin: places.origin,
  };
}

type ConnectionEntry = NonNullable<ServerEntry["connection"]>;

function compileConnection(entry: ConnectionEntry, places: Places): Connection {
  const { url, command } = entry;
  if (url !== undefined) {
    const { headers = {}, oauth } = entry;
    const signIn = oauth === undefined ? {} : { oauth: oauth as OAuthSettings };
    return { kind: entry.type === "sse" ? "sse" : "http", url, headers, ...signIn };
  }
  const cwd = entry.cwd === undefined ? undefined : workingFolder(entry.cwd, places);
  return {
    kind: "stdio",
    command: expandHome(command ?? "", places.home),
    args: entry.args ?? [],
    env: entry.env ?? {},
    ...(cwd === undefined ? {} : { cwd }),
    ...(entry.inheritEnv === undefined ? {} : { inheritEnv: entry.inheritEnv }),
  };
}

function workingFolder(cwd: string, places: Places): string {
  return cwd.startsWith("${") ? cwd : absolutePath(cwd, places);
}

/** The file of environment variables that an entry names, if it names one. */
export function envFileOf(entry: ServerEntry, places: Places): { readonly envFile?: string } {
  const written = (entry.connection ?? entry).envFile;
  return written === undefined ? {} : { envFile: absolutePath(written, places) };
}

/** The definition with a folder to start in, if it needs one and has none. */
export function inFolder(definition: ServerDefinition, folder: string | undefined): ServerDefinition {
  const { connection } = definition;
  if (folder === undefined || connection.kind !== "stdio" || connection.cwd !== undefined) return definition;
  return { ...definition, connection: { ...connection, cwd: escapeText(folder) } };
}
