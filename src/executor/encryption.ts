import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { JsonObject } from "../model/json.js";
import { type BoundCall, bindCall } from "../policy/confirmation.js";
import { hashCanonical } from "../util/json/canonical.js";
import { deriveKey } from "../util/local-key.js";

/** HMACs and encryption (AES-256-GCM) with the local key of this machine. */
export interface Encryption {
  /** HMAC of the arguments and of the hash of the tool's definition. */
  fingerprint(call: { readonly arguments: JsonObject; readonly definitionHash: string }): string;
  /** HMAC that binds a user's approval to one call. */
  bind(call: BoundCall): string;
  encrypt(text: string): Uint8Array;
  /** Undefined if the data was modified or encrypted with another key. */
  decrypt(encrypted: Uint8Array): string | undefined;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createEncryption(key: Buffer): Encryption {
  const fingerprintKey = deriveKey(key, "fingerprint");
  const approvalKey = deriveKey(key, "approval");
  const encryptionKey = deriveKey(key, "seal");
  return {
    fingerprint: (call) => hashCanonical(["call", call.arguments, call.definitionHash], fingerprintKey),
    bind: (call) => bindCall(call, approvalKey),
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, encryptionKey, nonce);
      const encrypted = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]);
    },
    decrypt(encrypted) {
      try {
        const bytes = Buffer.from(encrypted);
        const decipher = createDecipheriv(CIPHER, encryptionKey, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
