export interface KnownKey {
  readonly keyId: string;
  /** The 32 bytes of the public key in base64url. */
  readonly publicKey: string;
  readonly name: string;
  readonly trustedAt: string;
  /** Whether the key was created on this machine. */
  readonly isOwn: boolean;
  /** Whether the private key is available. */
  readonly canSign: boolean;
  readonly notAfter?: string;
  readonly revokedAt?: string;
}

/** Signs with a private key. The private key cannot be read from this object. */
export interface SigningKey {
  readonly keyId: string;
  readonly name: string;
  sign(message: Uint8Array): Buffer;
}

/** A key file that is not used, and the reason. */
export interface KeyProblem {
  readonly file: string;
  /** The key that cannot be used. Undefined if the problem concerns the whole folder. */
  readonly keyId?: string;
  readonly reason: string;
}

export interface KeyList {
  readonly keys: readonly KnownKey[];
  readonly problems: readonly KeyProblem[];
}

/** The accepted clock difference between two machines. */
export const SKEW_MS = 5 * 60_000;

export type Standing = "good" | "expired" | "revoked";

export function standingOf({ notAfter, revokedAt }: KnownKey, now: number): Standing {
  if (revokedAt !== undefined) return "revoked";
  return notAfter !== undefined && now > Date.parse(notAfter) + SKEW_MS ? "expired" : "good";
}
