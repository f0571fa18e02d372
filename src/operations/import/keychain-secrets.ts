import { type Keychain, isStorable } from "../../secrets/keychain.js";
import type { ServerCandidate } from "../../sources/candidate.js";
import { nameSecrets, type NamedSecrets } from "./name-secrets.js";

/** Replaces each secret with `${keychain:NAME}`. Returns the planned entries and writes nothing. */
export function planKeychain(servers: readonly ServerCandidate[], keychain: Keychain): Promise<NamedSecrets> {
  const read = new Map<string, Promise<string | undefined>>();
  const valueOf = (name: string): Promise<string | undefined> => {
    const value = read.get(name) ?? keychain.read(name);
    read.set(name, value);
    return value;
  };
  return nameSecrets(servers, {
    valueOf,
    holds: async (name, value) => (await valueOf(name)) === value,
    canStore: isStorable,
    referenceTo: (name) => `\${keychain:${name}}`,
  });
}

/** Writes one entry after the other: each may ask the user to unlock the keychain. */
export async function writeKeychain(entries: ReadonlyMap<string, string>, keychain: Keychain): Promise<void> {
  for (const [name, value] of entries) await keychain.write(name, value);
}
