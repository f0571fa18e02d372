// A call comes in, what an approval of it is bound to goes out. Neither the clock nor the dice are known here, nor where
// approvals are kept and what becomes of them.
import { hashCanonical } from "../util/json/canonical.js";

export type ApprovalState = "pending" | "approved" | "denied" | "redeemed" | "expired";

/** The call that an approval is for. */
export interface BoundCall {
  readonly actorId: string;
  readonly toolId: string;
  /** Of the definition in force: what a person agreed to is not what the tool has become since. */
  readonly definitionHash: string;
  readonly arguments: unknown;
}

/** Five bits of each are used: 130 in all. */
export const APPROVAL_ID_BYTES = 26;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Approvals of equal calls have equal bindings, and nobody without the key can make one. */
export function bindCall({ actorId, toolId, definitionHash, arguments: given }: BoundCall, key: Uint8Array): string {
  return hashCanonical(["approval", actorId, toolId, definitionHash, given], key);
}

/** An id that cannot be guessed and can be typed: base 32 without letters that look like others. */
export function toApprovalId(random: Uint8Array): string {
  if (random.length < APPROVAL_ID_BYTES) throw new RangeError(`An id takes ${APPROVAL_ID_BYTES} random bytes.`);
  const letters = Array.from(random.subarray(0, APPROVAL_ID_BYTES), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `ap_${letters.join("")}`;
}
