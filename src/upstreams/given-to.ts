import type { Connection } from "../model/server.js";
import { secretsIn } from "./rest/secrets-in.js";

/** Whatever stands there may be a secret of this server. To others it may be a word like any other. */
export function givenTo(connection: Connection): string[] {
  if (connection.kind === "built-in") return [];
  const given = Object.values(connection.kind === "stdio" ? connection.env : connection.headers);
  return connection.kind === "rest" ? [...given, ...secretsIn(connection.auth)] : given;
}
