import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { canonicalJson } from "../util/json/canonical.js";
import type { Checkpoint, Mark } from "./chain.js";

/** Signs positions in the hash chain of the audit log and verifies signatures that were made with the same key. */
export interface Signer {
  readonly keyId: string;
  sign(mark: Mark, at: number): Checkpoint;
  isSigned(checkpoint: Checkpoint): boolean;
}

/** The DER prefix of an Ed25519 private key in PKCS #8 (RFC 8410), followed by the 32 bytes of the seed. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_BYTES = 32;

export function createSigner(seed: Uint8Array): Signer {
  const der = Buffer.concat([PKCS8_PREFIX, seed.subarray(0, SEED_BYTES)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: "der", type: "spki" });
  const keyId = createHash("sha256").update(spki).digest("hex").slice(0, 16);
  return {
    keyId,
    sign({ seq, hash }, at) {
      const signature = sign(null, signedText({ seq, hash, at, keyId }), privateKey).toString("base64");
      return { seq, hash, at, keyId, signature };
    },
    isSigned({ signature, ...rest }) {
      const bytes = Buffer.from(signature, "base64");
      // Node's Base64 decoder accepts malformed text: accept a signature only if it is exactly the text that was
      // written.
      if (rest.keyId !== keyId || bytes.toString("base64") !== signature) return false;
      return verify(null, signedText(rest), publicKey, bytes);
    },
  };
}

function signedText({ seq, hash, at, keyId }: Omit<Checkpoint, "signature">): Buffer {
  return Buffer.from(canonicalJson({ seq, hash, at, key_id: keyId }));
}
