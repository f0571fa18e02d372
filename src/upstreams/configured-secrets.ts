import type { ServerConnection } from "../model/server.js";
import { secretsIn } from "./rest/secrets-in.js";

/**
 * The values in the server's configuration that may be secrets. They are redacted only in messages from this server.
 */
export function configuredSecrets(connection: ServerConnection): string[] {
  if (connection.kind === "built-in") return [];
  const values = Object.values(connection.kind === "stdio" ? connection.env : connection.headers);
  return connection.kind === "rest" ? [...values, ...secretsIn(connection.auth)] : values;
}
