import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { JsonObject } from "../model/json.js";
import { type BoundCall, bindCall } from "../policy/confirmation.js";
import { hashCanonical } from "../util/json/canonical.js";
import type { KeyScope } from "../store/key-records.js";
import { deriveKey } from "../util/local-key.js";

/** HMACs and encryption (AES-256-GCM) with the local key of this machine. */
export interface Encryption {
  /** HMAC of the arguments and of the hash of the tool's definition. */
  fingerprint(call: { readonly arguments: JsonObject; readonly definitionHash: string }): string;
  /**
   * The idempotency key that a server receives instead of the caller's: a UUID that two callers never share, even if
   * both use the same key. Some APIs accept no key that is longer than a UUID.
   */
  upstreamKey(scope: KeyScope): string;
  /** HMAC that binds a user's approval to one call. */
  bind(call: BoundCall): string;
  /** `label`: text that is not stored, but must be the same for decryption. It binds the data to its record. */
  encrypt(data: string | Uint8Array, label?: string): Uint8Array;
  /** Undefined if the data was modified, or encrypted with another key or label. */
  decrypt(encrypted: Uint8Array): string | undefined;
  /** Like `decrypt`, for data that is not text. */
  decryptBytes(encrypted: Uint8Array, label?: string): Buffer | undefined;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createEncryption(key: Buffer): Encryption {
  const fingerprintKey = deriveKey(key, "fingerprint");
  const upstreamKeyKey = deriveKey(key, "upstream idempotency key");
  const approvalKey = deriveKey(key, "approval");
  const encryptionKey = deriveKey(key, "seal");
  const decryptBytes: Encryption["decryptBytes"] = (encrypted, label = "") => {
    try {
      const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
      const decipher = createDecipheriv(CIPHER, encryptionKey, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(label, "utf8"));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  };
  return {
    fingerprint: (call) => hashCanonical(["call", call.arguments, call.definitionHash], fingerprintKey),
    upstreamKey: ({ actor, tool, key: given }) => toUuid(hashCanonical(["key", actor, tool, given], upstreamKeyKey)),
    bind: (call) => bindCall(call, approvalKey),
    encrypt(data, label = "") {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, encryptionKey, nonce);
      cipher.setAAD(Buffer.from(label, "utf8"));
      const encrypted = [typeof data === "string" ? cipher.update(data, "utf8") : cipher.update(data), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]);
    },
    decrypt: (encrypted) => decryptBytes(encrypted)?.toString("utf8"),
    decryptBytes,
  };
}

/** Makes a UUID of version 8 (RFC 9562: any content) from the beginning of a hash in hex. */
function toUuid(hash: string): string {
  const hex = Buffer.from(hash.slice(0, 32), "hex");
  hex.writeUInt8(((hex[6] ?? 0) & 0x0f) | 0x80, 6);
  hex.writeUInt8(((hex[8] ?? 0) & 0x3f) | 0x80, 8);
  return hex.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
