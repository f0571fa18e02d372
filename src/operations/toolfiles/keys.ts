// Creates, trusts and revokes the keys that sign tool files.
import type { Hint } from "../../model/next-steps.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { DiscoveryError } from "../../errors.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import { keyFolder } from "../../gateway/tool-files.js";
import { keyIdOf, parseKeyBytes } from "../../toolfiles/keys/ed25519.js";
import { type KeyLine, parseKeyLine } from "../../toolfiles/keys/key-line.js";
import { type KnownKey, standingOf } from "../../toolfiles/keys/known-key.js";
import { type Keys, openKeys } from "../../toolfiles/keys/open-keys.js";
import { signerName } from "../../toolfiles/keys/signer-name.js";
import { parseSpan } from "./span.js";

/** The user's own and trusted keys on this machine. They do not depend on the configuration. */
export interface SigningKeys {
  readonly keys: Keys;
  readonly now: () => number;
}

export function openSigningKeys(options: OpenOptions): SigningKeys {
  const { stateFolder, now } = environmentFor(options);
  return { now, keys: openKeys(keyFolder(stateFolder), now) };
}

export type SigningKeyState = "active" | "good" | "expiring" | "expired" | "revoked";

/** The state of a key. `active`: the id of the active signing key. */
export function stateOfKey(
  key: KnownKey,
  { now, active }: { now: number; active: string | undefined },
): SigningKeyState {
  const standing = standingOf(key, now);
  if (standing !== "good") return standing;
  if (key.notAfter !== undefined) return "expiring";
  return key.keyId === active ? "active" : "good";
}

export interface NewSigningKey {
  readonly name?: string | undefined;
  /** Replace the current signing key with a new one. */
  readonly isRotation: boolean;
  /** How long the replaced key remains valid, such as `30d`, `12h`, `4w` or `0`. */
  readonly overlap?: string | undefined;
}

export interface CreatedKey {
  readonly key: KnownKey;
  /** The previous signing key. */
  readonly replaced: KnownKey | undefined;
}

export async function createSigningKey(request: NewSigningKey, { keys }: SigningKeys): Promise<CreatedKey> {
  const { overlap, isRotation } = request;
  const before = await keys.active();
  if (overlap !== undefined && !isRotation)
    throw invalidRequest("--overlap works only together with --rotate.", "Add --rotate, or remove --overlap.");
  if (before !== undefined && !isRotation) {
    throw invalidRequest(`There is already a signing key: ${before.keyId} (${before.name}).`, [
      { action: "run-command", command: "anygpt mcp keys init --rotate", purpose: "replace it with a new key" },
      { action: "run-command", command: "anygpt mcp keys export", purpose: "print its public key" },
    ]);
  }
  const overlapMs = overlap === undefined ? {} : { overlapMs: parseSpan(overlap) };
  const key = await keys.create({ name: request.name ?? before?.name ?? signerName(), ...overlapMs });
  return { key, replaced: before === undefined ? undefined : await keys.find(before.keyId) };
}

export interface OfferedSigningKey {
  readonly line: KeyLine;
  readonly keyId: string;
  /** The stored key with the same id. */
  readonly known: KnownKey | undefined;
  /** True if the key is already trusted under the same name. */
  readonly isTrusted: boolean;
  /** True if the key was revoked. A revoked key cannot be trusted again. */
  readonly isRevoked: boolean;
  /** Another key of the same name. */
  readonly namesake: KnownKey | undefined;
}

/** Parses the line of a public key. `origin` names the source of the line in error messages. */
export async function readOfferedKey(text: string, origin: string, { keys }: SigningKeys): Promise<OfferedSigningKey> {
  const line = parseKeyLine(text);
  if (line === undefined) {
    throw invalidRequest(`${origin} is not a public key.`, [
      "A public key is one line of the form `anygpt-ed25519 KEY NAME`.",
      {
        action: "run-command",
        command: "anygpt mcp keys export",
        purpose: "print it on the machine that signs the files",
      },
    ]);
  }
  const keyId = keyIdOf(parseKeyBytes(line.publicKey) ?? Buffer.alloc(0));
  const all = (await keys.list()).keys;
  const known = all.find((key) => key.keyId === keyId);
  const isSame = known?.isOwn === true || (known?.notAfter === undefined && known?.name === line.name);
  const isRevoked = known?.revokedAt !== undefined;
  return {
    line,
    keyId,
    known,
    isTrusted: known !== undefined && !isRevoked && isSame,
    isRevoked,
    namesake: all.find((key) => key.name === line.name && key.keyId !== keyId),
  };
}

export async function findSigningKey(keyId: string, { keys }: SigningKeys): Promise<KnownKey> {
  const known = await keys.find(keyId);
  if (known !== undefined) return known;
  throw invalidRequest(`No key has the id ${JSON.stringify(keyId)}.`, {
    action: "run-command",
    command: "anygpt mcp keys list",
    purpose: "see all keys with their ids",
  });
}

function invalidRequest(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
