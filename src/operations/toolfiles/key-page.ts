import { toKeyLine } from "../../toolfiles/keys/key-line.js";
import type { KnownKey } from "../../toolfiles/keys/known-key.js";
import { type SigningKeys, type SigningKeyState, stateOfKey } from "./keys.js";

export interface KeyPage {
  readonly key_id: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly kind: "own" | "trusted";
  readonly state: SigningKeyState;
  readonly can_sign: boolean;
  readonly since: string;
  readonly not_after?: string;
  readonly revoked_at?: string;
  readonly public_key: string;
}

export interface Moment {
  readonly now: number;
  /** The id of the active signing key. Undefined if there is none. */
  readonly active: string | undefined;
}

/** One key, for text and JSON output. */
export function toKeyPage(key: KnownKey, moment: Moment): KeyPage {
  const { keyId, name, isOwn, canSign, trustedAt, notAfter, revokedAt } = key;
  return {
    key_id: keyId,
    name,
    fingerprint: readableKeyId(keyId),
    kind: isOwn ? "own" : "trusted",
    state: stateOfKey(key, moment),
    can_sign: canSign,
    since: trustedAt,
    ...(notAfter === undefined ? {} : { not_after: notAfter }),
    ...(revokedAt === undefined ? {} : { revoked_at: revokedAt }),
    public_key: toKeyLine(key),
  };
}

/** The key id in groups of four characters, which are easier to read aloud and compare. */
export function readableKeyId(keyId: string): string {
  return (keyId.match(/.{1,4}/g) ?? []).join(" ");
}

/** All keys of this machine, and the key files that cannot be used. */
export async function listKeyPages({ keys, now }: SigningKeys) {
  const [known, active] = [await keys.list(), await keys.active()];
  return {
    keys: known.keys.map((key) => toKeyPage(key, { now: now(), active: active?.keyId })),
    problems: known.problems.map(({ file, keyId, reason }) => ({
      file,
      ...(keyId === undefined ? {} : { key_id: keyId }),
      reason,
    })),
  };
}
