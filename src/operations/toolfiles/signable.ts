import { basename, dirname } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { parseToolFile } from "../../toolfiles/format/parse-tool-file.js";
import { MAX_TOOL_FILE_BYTES, type ToolFile } from "../../toolfiles/format/tool-file.js";
import type { KeyList, SigningKey } from "../../toolfiles/keys/known-key.js";
import { parseVerified } from "../../toolfiles/parse-verified.js";
import { readBytes } from "../../toolfiles/read-bytes.js";
import { bodyOf } from "../../toolfiles/signing/envelope.js";
import { createSigningKeyring } from "../../toolfiles/signing/keyring.js";
import { signToolFile } from "../../toolfiles/signing/sign.js";
import type { RefusalReason } from "../../toolfiles/signing/refusal.js";
import { type SignatureVerdict, verifyToolFile } from "../../toolfiles/signing/verify.js";
import type { Dated } from "../../toolfiles/version-history.js";
import { writeToolFile } from "../../toolfiles/write-tool-file.js";

/** A file that can be signed. */
export interface Signable {
  readonly path: string;
  readonly file: ToolFile;
  /** As it was read. */
  readonly bytes: Buffer;
  /** It is already, by the same key: its bytes stay. */
  readonly isSigned: boolean;
  /** Who has signed it so far, in words. */
  readonly remark: string;
}

export interface SigningMoment {
  /** Undefined where it has yet to be made. */
  readonly keyId: string | undefined;
  readonly keys: KeyList;
  readonly now: number;
}

export type Unsigned =
  | { readonly kind: "signable"; readonly signable: Signable }
  | { readonly kind: "wrong"; readonly path: string; readonly reasons: readonly string[] };

const ENVELOPE_BYTES = 512;

/** Read once: what is signed is what was looked at. */
export async function readUnsigned(path: string, { keyId, keys, now }: SigningMoment): Promise<Unsigned> {
  const wrong = (...reasons: string[]): Unsigned => ({ kind: "wrong", path, reasons });
  if (!path.endsWith(".yaml")) return wrong("a tool file is named TOOL_ID.yaml");
  const read = await readBytes(path, MAX_TOOL_FILE_BYTES + ENVELOPE_BYTES);
  if (read.kind === "gone") return wrong("it does not exist");
  if (read.kind === "too-large") return wrong("it is too large for a tool file");
  if (read.kind === "unreadable") return wrong(`it cannot be read: ${read.reason}`);
  const { bytes } = read;
  const body = bodyOf(bytes);
  const firstLine = bytes.subarray(0, bytes.length - body.length).filter((byte) => byte === 0x0a).length + 1;
  const parsed = parseToolFile(body, basename(path), firstLine);
  if (parsed.kind === "wrong") return wrong(...parsed.reasons);
  const verdict = verifyToolFile(bytes, { file: path, keys: createSigningKeyring(keys), signatures: "required", now });
  const { trust } = verdict.kind === "intact" ? verdict : {};
  const isSigned = trust?.kind === "signed" && trust.keyId === keyId;
  return {
    kind: "signable",
    signable: { path, file: parsed.file, bytes, isSigned, remark: describeSigner(verdict) },
  };
}

/** What is said of a file with a key that does not count, before its id, and of any other. */
const KEY_REMARKS: Partial<Record<RefusalReason, string>> = {
  "unknown-key": "signed by the unknown key",
  "revoked-key": "signed by the revoked key",
  "expired-key": "signed by the expired key",
  "bad-signature": "with a false signature of the key",
};
const REMARKS: Partial<Record<RefusalReason, string>> = {
  unsigned: "not signed",
  "hash-only": "not signed",
  tampered: "changed since it was signed",
  malformed: "not signed as it should be",
  future: "signed in the future",
};

/** The user must know who signed a file before signing it. */
function describeSigner(verdict: SignatureVerdict): string {
  if (verdict.kind === "intact") {
    return verdict.trust.kind === "signed" ? `signed by ${verdict.trust.keyName}` : "not signed";
  }
  const { reason, error } = verdict.refusal;
  const ofKey = KEY_REMARKS[reason];
  return ofKey === undefined ? (REMARKS[reason] ?? reason) : `${ofKey} ${String(error.facts["keyId"])}`;
}

/** A file that an own key signed, valid or expired; undefined for any other. */
export function readOurs(
  path: string,
  bytes: Buffer,
  { keys: { keys, problems }, now }: Omit<SigningMoment, "keyId">,
): Dated | undefined {
  const own = keys.filter(({ isOwn }) => isOwn).map(({ notAfter: _end, ...key }) => key);
  const keyring = createSigningKeyring({ keys: own, problems });
  const verdict = verifyToolFile(bytes, { file: path, keys: keyring, signatures: "required", now });
  const parsed = verdict.kind === "intact" ? parseVerified(path, verdict) : undefined;
  if (verdict.kind !== "intact" || parsed?.kind !== "ok") return undefined;
  const { toolId, version } = parsed.file;
  return { toolId, version, validatedAt: verdict.validatedAt, isSigned: true };
}

export interface SigningAct {
  readonly key: SigningKey;
  readonly now: number;
}

/** Puts the signed bytes in the place of those that were looked at, and of no others. */
export async function writeSigned({ path, file, bytes }: Signable, { key, now }: SigningAct): Promise<void> {
  const there = await readBytes(path, MAX_TOOL_FILE_BYTES + ENVELOPE_BYTES);
  if (there.kind !== "bytes" || !there.bytes.equals(bytes)) {
    throw new DiscoveryError("INVALID_REQUEST", `${path} was changed meanwhile and is not signed.`, {
      hint: "Look at it again and repeat the command.",
    });
  }
  await writeToolFile(dirname(path), file.toolId, signToolFile(bytes, key, now));
}

/** All or none: CONFIGURATION_ERROR with everything that is wrong. */
export function assertAllReadable(read: readonly Unsigned[]): Signable[] {
  const wrong = read.flatMap((one) => (one.kind === "wrong" ? [one] : []));
  if (wrong.length === 0) return read.flatMap((one) => (one.kind === "signable" ? [one.signable] : []));
  const list = wrong.map(({ path, reasons }) => `${path}: ${reasons.join("; ").replace(/\.$/, "")}.`);
  throw new DiscoveryError("CONFIGURATION_ERROR", `Nothing was signed. ${list.join(" ")}`, {
    hint: "Correct what is wrong, or leave those files out.",
    facts: { refused: wrong.map(({ path, reasons }) => ({ file: path, reasons })) },
  });
}
