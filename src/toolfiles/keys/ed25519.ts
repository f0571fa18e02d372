import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

export const KEY_ID = /^[0-9a-f]{32}$/;

export function createKeyPair(): KeyPair {
  const { x = "", d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return { publicKey: x, privateKey: d };
}

/** Decodes the 32 bytes of a key; undefined if the text is not canonical base64url without padding. */
export function parseKeyBytes(text: string): Buffer | undefined {
  return decodeExactly(text, KEY_BYTES);
}

/** Decodes the 64 bytes of a signature; undefined if the text is not canonical base64url without padding. */
export function parseSignature(text: string): Buffer | undefined {
  return decodeExactly(text, SIGNATURE_BYTES);
}

/** The id of a public key: the first half of its SHA-256 hash. */
export function keyIdOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest("hex").slice(0, 32);
}

/** The public key that belongs to a private key. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(toPrivate(privateKey)).export({ format: "jwk" }).x ?? "";
}

export function signWith(privateKey: string, message: Uint8Array): Buffer {
  return sign(null, message, toPrivate(privateKey));
}

export function isSignedBy(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
  return verify(null, message, key, signature);
}

/** Node requires the public key `x` in the JWK but does not check it, so the private key is passed for both. */
function toPrivate(privateKey: string): KeyObject {
  return createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d: privateKey, x: privateKey }, format: "jwk" });
}

/** Decodes base64url. Several strings decode to the same bytes; only the canonical one is accepted. */
function decodeExactly(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : undefined;
}
