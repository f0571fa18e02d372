import type { ServerConnection } from "../model/server.js";
import { secretsIn } from "./rest/secrets-in.js";

/**
 * Values from the server's configuration that may be secrets of this server. For other servers they are not treated
 * as secrets.
 */
export function givenTo(connection: ServerConnection): string[] {
  if (connection.kind === "built-in") return [];
  const given = Object.values(connection.kind === "stdio" ? connection.env : connection.headers);
  return connection.kind === "rest" ? [...given, ...secretsIn(connection.auth)] : given;
}
