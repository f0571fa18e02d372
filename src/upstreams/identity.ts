import type { ServerConnection } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";

/**
 * An id that is equal for connections that are identical after their variables are replaced. It must not be stored,
 * because it is derived from secrets.
 */
export function identityOf(connection: ServerConnection): string {
  return sha256(canonicalJson(connection));
}
