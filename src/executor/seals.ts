import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { JsonObject } from "../model/json.js";
import { type BoundCall, bindCall } from "../policy/confirmation.js";
import { hashCanonical } from "../util/json/canonical.js";
import { deriveKey } from "../util/local-key.js";

/** Marks that nobody can make, and texts that nobody can read, without the key of this machine. */
export interface Seals {
  /** Of everything that makes a call what it is. */
  fingerprint(call: { readonly arguments: JsonObject; readonly definitionHash: string }): string;
  bind(call: BoundCall): string;
  seal(text: string): Uint8Array;
  /** Undefined when it was changed, or sealed with another key. */
  unseal(sealed: Uint8Array): string | undefined;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSeals(key: Buffer): Seals {
  const forCalls = deriveKey(key, "fingerprint");
  const forApprovals = deriveKey(key, "approval");
  const forTexts = deriveKey(key, "seal");
  return {
    fingerprint: (call) => hashCanonical(["call", call.arguments, call.definitionHash], forCalls),
    bind: (call) => bindCall(call, forApprovals),
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, forTexts, nonce);
      const sealed = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    unseal(sealed) {
      try {
        const bytes = Buffer.from(sealed);
        const decipher = createDecipheriv(CIPHER, forTexts, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
