// Replaces each clear-text secret of a server with a reference.
import type { ServerCandidate } from "../../sources/candidate.js";
import { findSecrets, type PlainSecret, replaceSecrets } from "../../util/plain-secrets.js";

/** A store that secrets are moved to, such as the keychain or a variable file. */
export interface SecretStore {
  /** The value that is stored under the name. Undefined if the name is free. */
  valueOf(name: string): Promise<string | undefined>;
  /** Whether the store already has this name and value. */
  holds(name: string, value: string): Promise<boolean>;
  /** Whether the store can hold the value. A value that it cannot hold remains in clear text. */
  canStore(value: string): boolean;
  /** The reference that replaces the secret in the configuration. */
  referenceTo(name: string): string;
}

export interface NamedSecrets {
  readonly servers: readonly ServerCandidate[];
  /** The values to write to the store, by name. */
  readonly added: ReadonlyMap<string, string>;
}

const MAX_PREFIX_LENGTH = 48;

export async function nameSecrets(servers: readonly ServerCandidate[], store: SecretStore): Promise<NamedSecrets> {
  const added = new Map<string, string>();

  async function nameFor(wanted: string, server: string, value: string): Promise<string> {
    const prefix = prefixOf(server);
    const names = [wanted, `${prefix}_${wanted}`];
    for (let number = 2; ; number += 1) {
      const name = names.shift() ?? `${prefix}_${wanted}_${number}`;
      const taken = added.get(name) ?? (await store.valueOf(name));
      if (taken !== undefined && taken !== value) continue;
      if (!(await store.holds(name, value))) added.set(name, value);
      return name;
    }
  }

  async function convert(candidate: ServerCandidate): Promise<ServerCandidate> {
    const { definition } = candidate;
    const references = new Map<string, string>();
    for (const secret of findSecrets(definition.connection, definition.name)) {
      const value = secret.value.replaceAll("$${", "${");
      if (!store.canStore(value)) continue;
      references.set(keyOf(secret), store.referenceTo(await nameFor(secret.variable, definition.name, value)));
    }
    const connection = replaceSecrets(
      definition.connection,
      definition.name,
      (secret) => references.get(keyOf(secret)) ?? secret.value,
    );
    return { ...candidate, definition: { ...definition, connection } };
  }

  const named: ServerCandidate[] = [];
  for (const candidate of servers) named.push(await convert(candidate));
  return { servers: named, added };
}

function keyOf({ variable, value }: PlainSecret): string {
  return `${variable}\0${value}`;
}

function prefixOf(server: string): string {
  return server
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(?=\d)|^_+/, "_")
    .slice(0, MAX_PREFIX_LENGTH);
}
