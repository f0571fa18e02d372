import { basename, dirname } from "node:path";
import { DiscoveryError } from "../../../errors.js";
import { parseToolFile } from "../../../toolfiles/format/parse-tool-file.js";
import { LARGEST_BYTES, type ToolFile } from "../../../toolfiles/format/tool-file.js";
import type { KeyList, SigningKey } from "../../../toolfiles/keys/known-key.js";
import { readBytes } from "../../../toolfiles/read-bytes.js";
import { bodyOf } from "../../../toolfiles/signing/envelope.js";
import { createKeyring } from "../../../toolfiles/signing/keyring.js";
import { sign } from "../../../toolfiles/signing/sign.js";
import { verify } from "../../../toolfiles/signing/verify.js";
import { writeToolFile } from "../../../toolfiles/write-tool-file.js";

/** A file that can be signed, with the bytes that it would have then. */
export interface Signable {
  readonly path: string;
  readonly file: ToolFile;
  /** As it was read. */
  readonly bytes: Buffer;
  readonly signed: Buffer;
  /** It is already, by the same key: its bytes stay. */
  readonly isSigned: boolean;
}

export interface SigningMoment {
  readonly key: SigningKey;
  readonly keys: KeyList;
  readonly now: number;
}

export type Unsigned =
  | { readonly kind: "signable"; readonly signable: Signable }
  | { readonly kind: "wrong"; readonly path: string; readonly reasons: readonly string[] };

const ENVELOPE_BYTES = 512;

/** Read once: what is signed is what was looked at. */
export async function readUnsigned(path: string, { key, keys, now }: SigningMoment): Promise<Unsigned> {
  const wrong = (...reasons: string[]): Unsigned => ({ kind: "wrong", path, reasons });
  if (!path.endsWith(".yaml")) return wrong("a tool file is named TOOL_ID.yaml");
  const read = await readBytes(path, LARGEST_BYTES + ENVELOPE_BYTES);
  if (read.kind === "gone") return wrong("it does not exist");
  if (read.kind === "too-large") return wrong("it is too large for a tool file");
  if (read.kind === "unreadable") return wrong(`it cannot be read: ${read.reason}`);
  const { bytes } = read;
  const body = bodyOf(bytes);
  const firstLine = bytes.subarray(0, bytes.length - body.length).filter((byte) => byte === 0x0a).length + 1;
  const parsed = parseToolFile(body, basename(path), firstLine);
  if (parsed.kind === "wrong") return wrong(...parsed.reasons);
  const verdict = verify(bytes, { file: path, keys: createKeyring(keys), signatures: "required", now });
  const { trust } = verdict.kind === "intact" ? verdict : {};
  const isSigned = trust?.kind === "signed" && trust.keyId === key.keyId;
  const signed = isSigned ? bytes : sign(bytes, key, now);
  return { kind: "signable", signable: { path, file: parsed.file, bytes, signed, isSigned } };
}

/** Puts the signed bytes in the place of those that were looked at, and of no others. */
export async function writeSigned({ path, file, bytes, signed }: Signable): Promise<void> {
  const there = await readBytes(path, LARGEST_BYTES + ENVELOPE_BYTES);
  if (there.kind !== "bytes" || !there.bytes.equals(bytes)) {
    throw new DiscoveryError("INVALID_REQUEST", `${path} was changed meanwhile and is not signed.`, {
      hint: "Look at it again and repeat the command.",
    });
  }
  await writeToolFile(dirname(path), file.toolId, signed);
}

/** All or none: CONFIGURATION_ERROR with everything that is wrong. */
export function assertAllReadable(read: readonly Unsigned[]): Signable[] {
  const wrong = read.flatMap((one) => (one.kind === "wrong" ? [one] : []));
  if (wrong.length === 0) return read.flatMap((one) => (one.kind === "signable" ? [one.signable] : []));
  const told = wrong.map(({ path, reasons }) => `${path}: ${reasons.join("; ").replace(/\.$/, "")}.`);
  throw new DiscoveryError("CONFIGURATION_ERROR", `Nothing was signed. ${told.join(" ")}`, {
    hint: "Correct what is wrong, or leave those files out.",
    facts: { refused: wrong.map(({ path, reasons }) => ({ file: path, reasons })) },
  });
}
