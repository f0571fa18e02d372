import type { Connection } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";

/** Equal for connections that are the same with all variables replaced. It stays in memory: it is made of secrets too. */
export function identityOf(connection: Connection): string {
  return sha256(canonicalJson(connection));
}
