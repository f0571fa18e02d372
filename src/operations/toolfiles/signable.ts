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
  /** The content of the file when it was read. */
  readonly bytes: Buffer;
  /** True if the same key has already signed the file, so that it does not change. */
  readonly isSigned: boolean;
  /** Who signed the file before, for display. */
  readonly remark: string;
}

export interface SigningMoment {
  /** The id of the key to sign with. Undefined if there is no key yet. */
  readonly keyId: string | undefined;
  readonly keys: KeyList;
  readonly now: number;
}

export type Unsigned =
  | { readonly kind: "signable"; readonly signable: Signable }
  | { readonly kind: "invalid"; readonly path: string; readonly reasons: readonly string[] };

const ENVELOPE_BYTES = 512;

/** Reads the file once, so that exactly the reviewed bytes are signed. */
export async function readUnsigned(path: string, { keyId, keys, now }: SigningMoment): Promise<Unsigned> {
  const invalid = (...reasons: string[]): Unsigned => ({ kind: "invalid", path, reasons });
  if (!path.endsWith(".yaml")) return invalid("a tool file is named TOOL_ID.yaml");
  const read = await readBytes(path, MAX_TOOL_FILE_BYTES + ENVELOPE_BYTES);
  if (read.kind === "gone") return invalid("it does not exist");
  if (read.kind === "too-large") return invalid("it is too large for a tool file");
  if (read.kind === "unreadable") return invalid(`it cannot be read: ${read.reason}`);
  const { bytes } = read;
  const body = bodyOf(bytes);
  const firstLine = bytes.subarray(0, bytes.length - body.length).filter((byte) => byte === 0x0a).length + 1;
  const parsed = parseToolFile(body, basename(path), firstLine);
  if (parsed.kind === "wrong") return invalid(...parsed.reasons);
  const verdict = verifyToolFile(bytes, { file: path, keys: createSigningKeyring(keys), signatures: "required", now });
  const { trust } = verdict.kind === "intact" ? verdict : {};
  const isSigned = trust?.kind === "signed" && trust.keyId === keyId;
  return {
    kind: "signable",
    signable: { path, file: parsed.file, bytes, isSigned, remark: describeSigner(verdict) },
  };
}

/** Remarks about the key of a refused signature. The id of the key is appended. */
const KEY_REMARKS: Partial<Record<RefusalReason, string>> = {
  "unknown-key": "signed by the unknown key",
  "revoked-key": "signed by the revoked key",
  "expired-key": "signed by the expired key",
  "bad-signature": "with an invalid signature of the key",
};
const REMARKS: Partial<Record<RefusalReason, string>> = {
  unsigned: "not signed",
  "hash-only": "not signed",
  tampered: "changed since it was signed",
  malformed: "with a malformed signature",
  future: "signed with a date in the future",
};

/** Describes who signed a file, which the user must know before signing it. */
function describeSigner(verdict: SignatureVerdict): string {
  if (verdict.kind === "intact") {
    return verdict.trust.kind === "signed" ? `signed by ${verdict.trust.keyName}` : "not signed";
  }
  const { reason, error } = verdict.refusal;
  const ofKey = KEY_REMARKS[reason];
  return ofKey === undefined ? (REMARKS[reason] ?? reason) : `${ofKey} ${String(error.facts["keyId"])}`;
}

/**
 * The version of a file that one of this user's keys signed, even if the key has expired. Undefined for other files.
 */
export function readOwnSigned(
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

/** Writes the signed file. Throws if the file has changed since it was read. */
export async function writeSigned({ path, file, bytes }: Signable, { key, now }: SigningAct): Promise<void> {
  const current = await readBytes(path, MAX_TOOL_FILE_BYTES + ENVELOPE_BYTES);
  if (current.kind !== "bytes" || !current.bytes.equals(bytes)) {
    throw new DiscoveryError("INVALID_REQUEST", `${path} was changed in the meantime, so it was not signed.`, {
      hint: "Review the file again and repeat the command.",
    });
  }
  await writeToolFile(dirname(path), file.toolId, signToolFile(bytes, key, now));
}

/** Throws CONFIGURATION_ERROR with all problems if one of the files cannot be signed. */
export function assertAllReadable(read: readonly Unsigned[]): Signable[] {
  const invalid = read.flatMap((one) => (one.kind === "invalid" ? [one] : []));
  if (invalid.length === 0) return read.flatMap((one) => (one.kind === "signable" ? [one.signable] : []));
  const list = invalid.map(({ path, reasons }) => `${path}: ${reasons.join("; ").replace(/\.$/, "")}.`);
  throw new DiscoveryError("CONFIGURATION_ERROR", `Nothing was signed. ${list.join(" ")}`, {
    hint: "Correct these files, or sign only the others.",
    facts: { refused: invalid.map(({ path, reasons }) => ({ file: path, reasons })) },
  });
}
