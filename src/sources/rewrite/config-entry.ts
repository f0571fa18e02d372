import type { JsonObject } from "../../model/json.js";
import type { ServerConnection, ServerDefinition } from "../../model/server.js";
import { isEqualJson } from "../../util/json/is-equal.js";

/** Converts a definition into a configuration entry that compiles to the same definition. */
export function toConfigEntry(definition: ServerDefinition, envFile?: string): JsonObject {
  const { description, connection, manifest } = definition;
  return {
    ...(description === undefined ? {} : { description }),
    ...connectionOf(connection),
    ...(envFile === undefined ? {} : { envFile }),
    ...(manifest.length === 0 ? {} : { tools: manifest.map(toManifestTool) }),
  };
}

function connectionOf(connection: ServerConnection): JsonObject {
  // Other programs have no REST APIs or built-in tools, and the configuration does not define them in `servers`.
  if (connection.kind === "rest" || connection.kind === "built-in") return {};
  if (connection.kind !== "stdio") {
    const { kind, url, headers } = connection;
    return { type: kind, url, ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }) };
  }
  const { command, args, env, cwd, inheritEnv, integrity } = connection;
  return {
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(inheritEnv === undefined ? {} : { inheritEnv: [...inheritEnv] }),
    ...(integrity === undefined ? {} : { integrity }),
  };
}

function toManifestTool({ name, description, inputSchema }: ServerDefinition["manifest"][number]): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(isEqualJson(inputSchema, { type: "object" }) ? {} : { inputSchema }),
  };
}
