import { DiscoveryError } from "../../errors.js";

export type RefusalReason =
  | "unsigned"
  | "hash-only"
  | "malformed"
  | "tampered"
  | "unknown-key"
  | "expired-key"
  | "revoked-key"
  | "bad-signature"
  | "future"
  | "rolled-back"
  | "wrong-name"
  | "wrong-content"
  | "unreadable"
  | "too-large"
  | "shadowed";

export interface Refusal {
  readonly reason: RefusalReason;
  readonly error: DiscoveryError;
}

export interface RefusalText {
  /** What happened to the file, as the end of a sentence that begins with its name, without the full stop. */
  readonly what: string;
  readonly hint: string;
  readonly keyId?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Intact, and yet not to be used as it is. */
const WRONG: ReadonlySet<RefusalReason> = new Set([
  "wrong-name",
  "wrong-content",
  "unreadable",
  "too-large",
  "shadowed",
]);

export function refuse(file: string, reason: RefusalReason, text: RefusalText): Refusal {
  const { what, hint, keyId, facts, cause } = text;
  const code = WRONG.has(reason) ? "CONFIGURATION_ERROR" : "SIGNATURE_INVALID";
  const error = new DiscoveryError(code, `${file} ${what}.`, {
    hint,
    facts: { file, reason, ...(keyId === undefined ? {} : { keyId }), ...facts },
    cause,
  });
  return { reason, error };
}
