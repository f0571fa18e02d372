import type { Connection } from "../model/server.js";
import { canonicalJson, sha256 } from "../util/canonical-json.js";

/** Equal for connections that are the same with all variables replaced. It stays in memory: it is made of secrets too. */
export function identityOf(connection: Connection): string {
  return sha256(canonicalJson(connection));
}
