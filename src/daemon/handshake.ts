// Client and daemon prove to each other that they can read the key file in the state folder, without sending the key.
import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../util/local-key.js";

export const NONCE_BYTES = 32;
export const PROOF_BYTES = 32;

export function handshakeKey(localKey: Uint8Array): Buffer {
  return deriveKey(localKey, "anygpt background gateway");
}

/** Creates the proof of one side. It includes the role, so that neither side can replay the other side's proof. */
export function proofOf(key: Buffer, role: "client" | "daemon", nonces: readonly Uint8Array[]): Buffer {
  const hmac = createHmac("sha256", key).update(role);
  for (const nonce of nonces) hmac.update(nonce);
  return hmac.digest();
}

export function isProof(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * The address to listen on. On Windows, no folder permissions protect a named pipe, so its name is derived from the
 * key: only users who can read the key know the name.
 */
export function listenAddress(socket: string, key: Buffer): string {
  if (process.platform !== "win32") return socket;
  const name = createHmac("sha256", key).update(socket).digest("hex").slice(0, 32);
  return `\\\\.\\pipe\\anygpt-${name}`;
}
