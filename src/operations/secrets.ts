import type { OpenOptions } from "../gateway/engine-options.js";
import { environmentFor } from "../gateway/find-configuration.js";
import { createSecretReader } from "../secrets/create-secret-reader.js";
import { type Keychain, openKeychain } from "../secrets/keychain.js";
import { invalidRequest } from "../util/invalid-request.js";

/** The keychain of this machine. */
export function openSystemKeychain(options: OpenOptions): Keychain {
  const { env, home } = environmentFor(options);
  return openKeychain({ env, cwd: home, platform: process.platform });
}

/** Removes `${}` from a reference. Throws if it does not refer to a secret. */
export function toSecretReference(text: string): string {
  const reference = text.replace(/^\$\{([^]*)\}$/, "$1");
  if (/^(?:keychain:|op:\/\/|vault:|command:)/.test(reference)) return reference;
  throw invalidRequest(
    `"${reference}" is not a reference to a secret.`,
    "Write keychain:NAME, op://VAULT/ITEM/FIELD, vault:PATH#FIELD or command:PROGRAM ARGUMENT ….",
  );
}

export async function readSecret(reference: string, options: OpenOptions): Promise<string> {
  const { env, home, elapsed } = environmentFor(options);
  return await createSecretReader({ env, cwd: home, platform: process.platform, elapsed }).read(reference);
}
