// A tool file's bytes come in; out goes its body, a part of those very bytes, with who vouches for it, or why it is refused. It
// refuses to know what the body means, and reads nothing.
import { isSignedBy } from "../keys/ed25519.js";
import { type KnownKey, SKEW_MS, standingOf } from "../keys/known-key.js";
import { decodeEnvelope, type Envelope, hashOf, type Stamp, toMessage } from "./envelope.js";
import type { Keyring } from "./keyring.js";
import { type Refusal, refuse } from "./refusal.js";

/** `hash`: files that nobody has signed are taken too, as long as they fit the hash that they carry. */
export type Signatures = "required" | "hash";

export type Trust =
  | { readonly kind: "signed"; readonly keyId: string; readonly keyName: string }
  | { readonly kind: "hash" };

export type Verdict =
  | { readonly kind: "intact"; readonly trust: Trust; readonly validatedAt: string; readonly body: Buffer }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface VerifyParts {
  /** The file's name, for messages. */
  readonly file: string;
  readonly keys: Keyring;
  readonly signatures: Signatures;
  readonly now: number;
}

/** The buffer must not be written to afterwards: what is handed on lies in it. */
export function verify(bytes: Buffer, parts: VerifyParts): Verdict {
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

function verifyHashed({ stamp, body }: Extract<Envelope, { kind: "hash" }>, parts: VerifyParts): Verdict {
  const refusal = examineHash(stamp, body, parts) ?? examineUnsigned(stamp, parts);
  if (refusal !== undefined) return refused(refusal);
  return { kind: "intact", trust: { kind: "hash" }, validatedAt: stamp.validatedAt, body };
}

function verifySigned(envelope: Extract<Envelope, { kind: "signed" }>, parts: VerifyParts): Verdict {
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

function examineHash({ hash }: Stamp, body: Buffer, { file }: VerifyParts): Refusal | undefined {
  if (hashOf(body) === hash) return undefined;
  return refuse(file, "tampered", {
    what: "was changed since it was signed",
    hint: `Look at what was changed; if all of it is right, sign it with ${command("sign", file)}.`,
  });
}

function examineUnsigned(stamp: Stamp, parts: VerifyParts): Refusal | undefined {
  if (parts.signatures === "hash") return examineTime(stamp, parts);
  return refuseHashOnly(parts.file, "is intact and carries only a hash: nobody has signed it");
}

/** For a file that would be intact, where a signature is needed all the same. */
export function refuseHashOnly(file: string, what: string): Refusal {
  return refuse(file, "hash-only", {
    what,
    hint: `Look through it and sign it with ${command("sign", file)}; toolFiles.signatures: "hash" takes such files for servers that are reached over HTTP.`,
  });
}

function examineStanding(key: KnownKey, { file, now }: VerifyParts): Refusal | undefined {
  switch (standingOf(key, now)) {
    case "good":
      return undefined;
    case "revoked":
      return refuse(file, "revoked-key", {
        what: `is signed with the key ${nameOf(key)}, which was revoked`,
        hint: `Get the file signed with another key, or look through it and sign it with ${command("sign", file)}.`,
        keyId: key.keyId,
      });
    case "expired":
      return refuse(file, "expired-key", {
        what: `is signed with the key ${nameOf(key)}, which was good until ${key.notAfter ?? "now"}`,
        hint: `Get the file signed with a newer key, or look through it and sign it with ${command("sign", file)}.`,
        keyId: key.keyId,
      });
  }
}

function unknownKey(keyId: string, { file, keys }: Pick<VerifyParts, "file" | "keys">): Refusal {
  const problem = keys.problemOf(keyId);
  if (problem !== undefined) {
    return refuse(file, "unknown-key", {
      what: `is signed with the key ${keyId}, which cannot be used: ${problem.file}: ${problem.reason}`,
      hint: "Correct the key file or its folder; `anygpt mcp keys list` shows what is wrong.",
      keyId,
    });
  }
  return refuse(file, "unknown-key", {
    what: `is signed with the key ${keyId}, which is not trusted here`,
    hint: "Ask whoever signed it for the line that `anygpt mcp keys export` prints there, then trust it with `anygpt mcp keys trust`.",
    keyId,
  });
}

function badSignature(key: KnownKey, file: string): Refusal {
  return refuse(file, "bad-signature", {
    what: `carries a signature that the key ${nameOf(key)} never made for it`,
    hint: `Get the file anew from where it came, or look through it and sign it with ${command("sign", file)}.`,
    keyId: key.keyId,
  });
}

function examineTime({ validatedAt }: Stamp, { file, now }: VerifyParts): Refusal | undefined {
  if (Date.parse(validatedAt) <= now + SKEW_MS) return undefined;
  return refuse(file, "future", {
    what: `says that it was signed at ${validatedAt}, which is yet to come`,
    hint: `Set the clock of this machine right, or sign the file anew with ${command("sign", file)}.`,
  });
}

function unsigned(file: string): Refusal {
  return refuse(file, "unsigned", {
    what: "is not signed",
    hint: `Look through it and sign it with ${command("sign", file)}.`,
  });
}

function malformed(file: string, reason: string): Refusal {
  return refuse(file, "malformed", {
    what: `does not carry its signature as it should: ${reason}`,
    hint: `Get the file anew from where it came, or look through it and sign it with ${command("sign", file)}.`,
  });
}

function refused(refusal: Refusal): Verdict {
  return { kind: "refused", refusal };
}

function nameOf({ keyId, name }: KnownKey): string {
  return `${keyId} (${name})`;
}

/** The command as a person types it: with the tool's id, which is the file's name. */
function command(verb: string, file: string): string {
  const toolId = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1).replace(/\.yaml$/, "");
  return `\`anygpt mcp ${verb} ${toolId}\``;
}
