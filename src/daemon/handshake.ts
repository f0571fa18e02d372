// Each side proves to the other that it can read the key in the state folder, without sending it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../util/local-key.js";

export const NONCE_BYTES = 32;
export const PROOF_BYTES = 32;

export function handshakeKey(localKey: Uint8Array): Buffer {
  return deriveKey(localKey, "anygpt background gateway");
}

/** The proof includes the role, so that no side can replay the proof of the other. */
export function proofOf(key: Buffer, role: "client" | "daemon", nonces: readonly Uint8Array[]): Buffer {
  const hmac = createHmac("sha256", key).update(role);
  for (const nonce of nonces) hmac.update(nonce);
  return hmac.digest();
}

export function isProof(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** On Windows, no folder protects a named pipe. Its name is derived from the key, so only readers of the key know it. */
export function listenAddress(socket: string, key: Buffer): string {
  if (process.platform !== "win32") return socket;
  const name = createHmac("sha256", key).update(socket).digest("hex").slice(0, 32);
  return `\\\\.\\pipe\\anygpt-${name}`;
}
