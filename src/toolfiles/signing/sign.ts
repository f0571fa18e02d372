import type { SigningKey } from "../keys/known-key.js";
import { bodyOf, encodeSeal, encodeStamp, hashOf, toMessage, toValidatedAt } from "./envelope.js";

/** A tool file's bytes: the body below two lines that say when it was signed, with what hash, by which key. */
export function sign(content: Uint8Array, key: SigningKey, now: number): Buffer {
  // What was signed before is signed anew, not twice.
  const body = bodyOf(Buffer.from(content));
  const stamp = { validatedAt: toValidatedAt(now), hash: hashOf(body) };
  const signature = key.sign(toMessage(stamp, key.keyId, body));
  return Buffer.concat([Buffer.from(`${encodeStamp(stamp)}\n${encodeSeal(key.keyId, signature)}\n`), body]);
}
