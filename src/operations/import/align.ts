// Compares servers of MCP clients with configured servers. An equal server gets the connection of the configured one.
import { referencesIn, resolveConnection, type Variables } from "../../config/variables.js";
import { DiscoveryError } from "../../errors.js";
import type { ServerConnection } from "../../model/server.js";
import type { SecretReader } from "../../secrets/create-secret-reader.js";
import type { ServerCandidate } from "../../sources/candidate.js";
import { replaceSecrets } from "../../util/plain-secrets.js";
import { canonicalJson } from "../../util/json/canonical.js";

export interface Aligned {
  readonly align: (candidate: ServerCandidate) => ServerCandidate;
  /** One sentence for each server of the configuration that could not be compared. */
  readonly notes: readonly string[];
}

export interface AlignParts {
  readonly variables: Variables;
  readonly secrets: SecretReader;
}

/**
 * Two servers are the same if they are equal after references are replaced by their values: a secret that was moved to
 * a variable or the keychain must not cause a second entry. A secret is read only if everything else is equal.
 */
export async function alignWith(
  own: readonly ServerCandidate[],
  found: readonly ServerCandidate[],
  { variables, secrets }: AlignParts,
): Promise<Aligned> {
  const known = new Map<string, ServerConnection>();
  const notes: string[] = [];
  const outlines = new Set(found.map(({ definition }) => connectionWithoutSecrets(definition.connection, variables)));

  for (const { definition } of own) {
    const { connection } = definition;
    const references = referencesIn(connection);
    const outline = connectionWithoutSecrets(connection, variables);
    if (outline === undefined || (references.length > 0 && !outlines.has(outline))) continue;
    const values = await readAll(references, secrets);
    if (values instanceof DiscoveryError) {
      notes.push(`${definition.name} could not be compared with the servers of the MCP clients. ${values.message}`);
      continue;
    }
    const key = resolvedKey(connection, variables, (reference) => values.get(reference) ?? "");
    if (key !== undefined) known.set(key, connection);
  }

  return {
    notes,
    align(candidate) {
      const key = resolvedKey(candidate.definition.connection, variables);
      const connection = key === undefined ? undefined : known.get(key);
      if (connection === undefined) return candidate;
      return { ...candidate, definition: { ...candidate.definition, connection } };
    },
  };
}

async function readAll(
  references: readonly string[],
  secrets: SecretReader,
): Promise<ReadonlyMap<string, string> | DiscoveryError> {
  const values = new Map<string, string>();
  try {
    for (const reference of references) values.set(reference, await secrets.read(reference));
    return values;
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
    throw error;
  }
}

const HIDDEN = "***";

/** The connection as canonical JSON, without its secrets in clear text or as references. */
function connectionWithoutSecrets(connection: ServerConnection, variables: Variables): string | undefined {
  const resolved = tryResolve(connection, variables, () => HIDDEN);
  return resolved === undefined ? undefined : canonicalJson(replaceSecrets(resolved, "", () => HIDDEN));
}

function resolvedKey(
  connection: ServerConnection,
  variables: Variables,
  read?: (reference: string) => string,
): string | undefined {
  const resolved = tryResolve(connection, variables, read);
  return resolved === undefined ? undefined : canonicalJson(resolved);
}

function tryResolve(
  connection: ServerConnection,
  variables: Variables,
  read?: (reference: string) => string,
): ServerConnection | undefined {
  try {
    return resolveConnection(connection, variables, { read });
  } catch (error) {
    if (error instanceof DiscoveryError) return undefined;
    throw error;
  }
}
