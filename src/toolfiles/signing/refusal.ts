import { DiscoveryError } from "../../errors.js";
import type { Hint } from "../../model/next-steps.js";

/** The kinds of reasons for which a tool file is rejected. */
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

/** The reason why a tool file is rejected, with the error for the user. */
export interface SignatureRefusal {
  readonly reason: RefusalReason;
  readonly error: DiscoveryError;
}

export interface RefusalText {
  /** What is wrong with the file: the predicate of a sentence that begins with the file name, without a full stop. */
  readonly what: string;
  readonly hint: Hint;
  readonly keyId?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Reasons that do not concern the signature. Their error code is CONFIGURATION_ERROR. */
const WRONG: ReadonlySet<RefusalReason> = new Set([
  "wrong-name",
  "wrong-content",
  "unreadable",
  "too-large",
  "shadowed",
]);

export function toSignatureRefusal(file: string, reason: RefusalReason, text: RefusalText): SignatureRefusal {
  const { what, hint, keyId, facts, cause } = text;
  const code = WRONG.has(reason) ? "CONFIGURATION_ERROR" : "SIGNATURE_INVALID";
  const error = new DiscoveryError(code, `${file} ${what}.`, {
    hint,
    facts: { file, reason, ...(keyId === undefined ? {} : { keyId }), ...facts },
    cause,
  });
  return { reason, error };
}
