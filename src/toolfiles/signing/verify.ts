// Verifies the signature of a tool file. Returns its body (a slice of the given bytes) and the key that signed it, or
// the reason for rejecting the file. Does not parse the body.
import type { NextStep } from "../../model/next-steps.js";
import { isSignedBy } from "../keys/ed25519.js";
import { type KnownKey, SKEW_MS, standingOf } from "../keys/known-key.js";
import { decodeEnvelope, type Envelope, bodyHash, type Stamp, toMessage } from "./envelope.js";
import type { SigningKeyring } from "./keyring.js";
import { type SignatureRefusal, toSignatureRefusal } from "./refusal.js";

/**
 * Which tool files are accepted: only signed ones (`required`), or also unsigned ones whose content matches the hash
 * that they contain (`hash`).
 */
export type Signatures = "required" | "hash";

export type KeyTrust =
  | { readonly kind: "signed"; readonly keyId: string; readonly keyName: string }
  | { readonly kind: "hash" };

export type SignatureVerdict =
  | { readonly kind: "intact"; readonly trust: KeyTrust; readonly validatedAt: string; readonly body: Buffer }
  | { readonly kind: "refused"; readonly refusal: SignatureRefusal };

export interface VerifyToolFileParts {
  /** The name of the tool file, for messages. */
  readonly file: string;
  readonly keys: SigningKeyring;
  readonly signatures: Signatures;
  readonly now: number;
}

/** Verifies a tool file. The caller must not modify `bytes` afterwards, because the returned body is a slice of it. */
export function verifyToolFile(bytes: Buffer, parts: VerifyToolFileParts): SignatureVerdict {
  const envelope = decodeEnvelope(bytes);
  switch (envelope.kind) {
    case "none":
      return refused(unsigned(parts.file));
    case "malformed":
      return refused(malformed(parts.file, envelope.reason));
    case "hash":
      return verifyHashed(envelope, parts);
    case "signed":
      return verifySigned(envelope, parts);
  }
}

function verifyHashed(
  { stamp, body }: Extract<Envelope, { kind: "hash" }>,
  parts: VerifyToolFileParts,
): SignatureVerdict {
  const refusal = examineHash(stamp, body, parts) ?? examineUnsigned(stamp, parts);
  if (refusal !== undefined) return refused(refusal);
  return { kind: "intact", trust: { kind: "hash" }, validatedAt: stamp.validatedAt, body };
}

function verifySigned(envelope: Extract<Envelope, { kind: "signed" }>, parts: VerifyToolFileParts): SignatureVerdict {
  const { stamp, keyId, signature, body } = envelope;
  const key = parts.keys.find(keyId);
  const hashRefusal = examineHash(stamp, body, parts);
  if (hashRefusal !== undefined) return refused(hashRefusal);
  if (key === undefined) return refused(unknownKey(keyId, parts));
  const refusal = examineStanding(key, parts);
  if (refusal !== undefined) return refused(refusal);
  if (!isSignedBy(key.publicKey, toMessage(stamp, keyId, body), signature))
    return refused(badSignature(key, parts.file));
  const early = examineTime(stamp, parts);
  if (early !== undefined) return refused(early);
  const trust = { kind: "signed", keyId, keyName: key.name } as const;
  return { kind: "intact", trust, validatedAt: stamp.validatedAt, body };
}

function examineHash({ hash }: Stamp, body: Buffer, { file }: VerifyToolFileParts): SignatureRefusal | undefined {
  if (bodyHash(body) === hash) return undefined;
  return toSignatureRefusal(file, "tampered", {
    what: "was changed since it was signed",
    hint: ["Review the changes.", sign(file)],
  });
}

function examineUnsigned(stamp: Stamp, parts: VerifyToolFileParts): SignatureRefusal | undefined {
  if (parts.signatures === "hash") return examineTime(stamp, parts);
  return refuseHashOnly(parts.file, "is intact but has only a hash and no signature");
}

/** The reason for rejecting an intact but unsigned file where a signature is required. */
export function refuseHashOnly(file: string, what: string): SignatureRefusal {
  return toSignatureRefusal(file, "hash-only", {
    what,
    hint: [
      "Review the file.",
      sign(file),
      "To accept such files for HTTP servers without a signature, change the configuration.",
      { action: "edit-config", key: "toolFiles.signatures", value: '"hash"' },
    ],
  });
}

function examineStanding(key: KnownKey, { file, now }: VerifyToolFileParts): SignatureRefusal | undefined {
  switch (standingOf(key, now)) {
    case "good":
      return undefined;
    case "revoked":
      return toSignatureRefusal(file, "revoked-key", {
        what: `is signed with the key ${nameOf(key)}, which was revoked`,
        hint: ["Get the file signed with another key, or review it and sign it yourself.", sign(file)],
        keyId: key.keyId,
      });
    case "expired":
      return toSignatureRefusal(file, "expired-key", {
        what: `is signed with the key ${nameOf(key)}, which expired at ${key.notAfter ?? "now"}`,
        hint: ["Get the file signed with a newer key, or review it and sign it yourself.", sign(file)],
        keyId: key.keyId,
      });
  }
}

function unknownKey(keyId: string, { file, keys }: Pick<VerifyToolFileParts, "file" | "keys">): SignatureRefusal {
  const problem = keys.problemOf(keyId);
  if (problem !== undefined) {
    return toSignatureRefusal(file, "unknown-key", {
      what: `is signed with the key ${keyId}, which cannot be used: ${problem.file}: ${problem.reason}`,
      hint: {
        action: "run-command",
        command: "anygpt mcp keys list",
        purpose: "see what is wrong with the key file or its folder",
      },
      keyId,
    });
  }
  return toSignatureRefusal(file, "unknown-key", {
    what: `is signed with the key ${keyId}, which is not trusted here`,
    hint: [
      "Ask the signer for the line that `anygpt mcp keys export` prints on the signer's machine.",
      { action: "run-command", command: "anygpt mcp keys trust", purpose: "trust the key" },
    ],
    keyId,
  });
}

function badSignature(key: KnownKey, file: string): SignatureRefusal {
  return toSignatureRefusal(file, "bad-signature", {
    what: `has a signature that is not valid for the key ${nameOf(key)}`,
    hint: ["Get the file from its source again, or review it and sign it yourself.", sign(file)],
    keyId: key.keyId,
  });
}

function examineTime({ validatedAt }: Stamp, { file, now }: VerifyToolFileParts): SignatureRefusal | undefined {
  if (Date.parse(validatedAt) <= now + SKEW_MS) return undefined;
  return toSignatureRefusal(file, "future", {
    what: `has the signing time ${validatedAt}, which is in the future`,
    hint: ["Correct the clock of this machine, or sign the file again.", sign(file)],
  });
}

function unsigned(file: string): SignatureRefusal {
  return toSignatureRefusal(file, "unsigned", {
    what: "is not signed",
    hint: ["Review the file.", sign(file)],
  });
}

function malformed(file: string, reason: string): SignatureRefusal {
  return toSignatureRefusal(file, "malformed", {
    what: `has a malformed signature: ${reason}`,
    hint: ["Get the file from its source again, or review it and sign it yourself.", sign(file)],
  });
}

function refused(refusal: SignatureRefusal): SignatureVerdict {
  return { kind: "refused", refusal };
}

function nameOf({ keyId, name }: KnownKey): string {
  return `${keyId} (${name})`;
}

/** The suggested command that signs the file. The tool id is the file name without its extension. */
function sign(file: string): NextStep {
  const toolId = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1).replace(/\.yaml$/, "");
  return { action: "run-command", command: `anygpt mcp sign ${toolId}`, purpose: "sign it" };
}
