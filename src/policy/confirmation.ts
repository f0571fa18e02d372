// Binds approvals to calls and creates approval ids. Pure: no clock, no randomness, no storage.
import { hashCanonical } from "../util/json/canonical.js";

export type ConfirmationState = "pending" | "approved" | "denied" | "redeemed" | "expired";

/** The call that a user's approval is for. */
export interface BoundCall {
  readonly actorId: string;
  readonly toolId: string;
  /** Hash of the tool's definition. If the definition changes, the approval is no longer valid. */
  readonly definitionHash: string;
  readonly arguments: unknown;
  /** The members of `_meta` that the user sees and that are sent; undefined if there are none. */
  readonly meta?: unknown;
}

/** The number of random bytes for an approval id. Five bits of each byte are used: 130 bits in total. */
export const APPROVAL_ID_BYTES = 26;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An HMAC that binds an approval to a call. Equal calls have equal bindings; a binding cannot be made without the
 * signing key.
 */
export function bindCall(call: BoundCall, key: Uint8Array): string {
  const { actorId, toolId, definitionHash, arguments: args, meta = null } = call;
  return hashCanonical(["approval", actorId, toolId, definitionHash, args, meta], key);
}

/** Makes an id that cannot be guessed but can be typed: base 32 without i, l, o and u, which are easily misread. */
export function toApprovalId(random: Uint8Array): string {
  if (random.length < APPROVAL_ID_BYTES)
    throw new RangeError(`An approval id needs ${APPROVAL_ID_BYTES} random bytes.`);
  const letters = Array.from(random.subarray(0, APPROVAL_ID_BYTES), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `ap_${letters.join("")}`;
}
