import { toDiscoveryError } from "../../errors.js";
import type { ServerConnection } from "../../model/server.js";
import { inheritedNames } from "../../upstreams/process/inherited-names.js";
import { canonicalJson } from "../../util/json/canonical.js";

/**
 * Environment variables that affect every server: they determine where its command is found and how it reaches the
 * network.
 */
const COMMON_VARIABLES = ["PATH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"];

/**
 * Returns a string that changes when something changes that can cause or fix a failure of the server: its connection
 * with the values of its variables, and the environment variables that it inherits. The string may contain secrets, but
 * references such as `${keychain:NAME}` are not resolved in it.
 */
export function circumstancesOf(
  { withoutSecrets }: { readonly withoutSecrets: () => ServerConnection },
  env: Readonly<Record<string, string | undefined>>,
): string {
  try {
    const connection = withoutSecrets();
    const inherited = connection.kind === "stdio" ? inheritedNames(env, connection.inheritEnv ?? []) : [];
    const names = [...COMMON_VARIABLES.flatMap((name) => [name, name.toLowerCase()]), ...inherited].toSorted();
    return canonicalJson([connection, names.map((name) => [name, env[name] ?? null])]);
  } catch (error) {
    return canonicalJson([toDiscoveryError(error).message]);
  }
}
