import type { ServerConnection } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";

/**
 * Equal for connections that are identical after their variables are replaced. It stays in memory, because it is
 * derived from secrets.
 */
export function identityOf(connection: ServerConnection): string {
  return sha256(canonicalJson(connection));
}
