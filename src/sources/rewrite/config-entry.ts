import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../model/json.js";
import type { Connection, ServerDefinition } from "../../model/server.js";

/** A server as our own configuration writes it: what compiles to the same definition again. */
export function toConfigEntry(definition: ServerDefinition, envFile?: string): JsonObject {
  const { description, connection, manifest } = definition;
  return {
    ...(description === undefined ? {} : { description }),
    ...connectionOf(connection),
    ...(envFile === undefined ? {} : { envFile }),
    ...(manifest.length === 0 ? {} : { tools: manifest.map(toManifestTool) }),
  };
}

function connectionOf(connection: Connection): JsonObject {
  // No other program has any: they are written in a section of their own.
  if (connection.kind === "rest" || connection.kind === "built-in") return {};
  if (connection.kind !== "stdio") {
    const { kind, url, headers } = connection;
    return { type: kind, url, ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }) };
  }
  const { command, args, env, cwd, inheritEnv } = connection;
  return {
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(inheritEnv === undefined ? {} : { inheritEnv: [...inheritEnv] }),
  };
}

function toManifestTool({ name, description, inputSchema }: ServerDefinition["manifest"][number]): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(isDeepStrictEqual(inputSchema, { type: "object" }) ? {} : { inputSchema }),
  };
}
