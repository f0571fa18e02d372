import type { SigningKey } from "../keys/known-key.js";
import { bodyOf, encodeSeal, encodeStamp, bodyHash, toMessage, toValidatedAt } from "./envelope.js";

/** Returns the bytes of a signed tool file: two lines (time and hash; key and signature) and the body. */
export function signToolFile(content: Uint8Array, key: SigningKey, now: number): Buffer {
  // Removes existing signature lines.
  const body = bodyOf(Buffer.from(content));
  const stamp = { validatedAt: toValidatedAt(now), hash: bodyHash(body) };
  const signature = key.sign(toMessage(stamp, key.keyId, body));
  return Buffer.concat([Buffer.from(`${encodeStamp(stamp)}\n${encodeSeal(key.keyId, signature)}\n`), body]);
}
