export interface KnownKey {
  readonly keyId: string;
  /** Base64url of its 32 bytes. */
  readonly publicKey: string;
  readonly name: string;
  readonly trustedAt: string;
  /** Made here. */
  readonly isOwn: boolean;
  /** The private half is here. */
  readonly canSign: boolean;
  readonly notAfter?: string;
  readonly revokedAt?: string;
}

/** The half of an own key that signs. What it holds cannot be read out of it. */
export interface SigningKey {
  readonly keyId: string;
  readonly name: string;
  sign(message: Uint8Array): Buffer;
}

/** A key file that is not used, and why. */
export interface KeyProblem {
  readonly file: string;
  /** Absent where the trouble is with the folder as a whole. */
  readonly keyId?: string;
  readonly reason: string;
}

export interface KeyList {
  readonly keys: readonly KnownKey[];
  readonly problems: readonly KeyProblem[];
}

/** So far may the clocks of two machines be apart. */
export const SKEW_MS = 5 * 60_000;

export type Standing = "good" | "expired" | "revoked";

export function standingOf({ notAfter, revokedAt }: KnownKey, now: number): Standing {
  if (revokedAt !== undefined) return "revoked";
  return notAfter !== undefined && now > Date.parse(notAfter) + SKEW_MS ? "expired" : "good";
}
