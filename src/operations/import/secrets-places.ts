import { DiscoveryError } from "../../errors.js";
import type { Keychain } from "../../secrets/keychain.js";
import { invalidRequest } from "../../util/invalid-request.js";
import type { SecretsPlace } from "./plan.js";

const PLACES: readonly SecretsPlace[] = ["keychain", "env", "keep"];

export function toSecretsPlace(text: string | undefined): SecretsPlace | undefined {
  const known = PLACES.find((place) => place === text);
  if (text === undefined || known !== undefined) return known;
  throw invalidRequest(
    `"${text}" is not a valid value for --secrets.`,
    "Use `keychain`, `env` (moves secrets into ~/.ai/.env) or `keep` (copies secrets in plain text).",
  );
}

/** The places for secrets that are available on this machine. On Windows, no keychain is supported. */
export async function availablePlaces(keychain: () => Keychain): Promise<readonly SecretsPlace[]> {
  return (await isAvailable(keychain)) ? PLACES : PLACES.filter((place) => place !== "keychain");
}

async function isAvailable(keychain: () => Keychain): Promise<boolean> {
  try {
    return await keychain().isAvailable();
  } catch (error) {
    if (error instanceof DiscoveryError) return false;
    throw error;
  }
}
