import { createHash } from "node:crypto";
import { KEY_ID, parseSignature } from "../keys/ed25519.js";

/** The two signature lines above the body of a tool file, parsed. `body` is a slice of the given buffer. */
export type Envelope =
  | {
      readonly kind: "signed";
      readonly stamp: Stamp;
      readonly keyId: string;
      readonly signature: Buffer;
      readonly body: Buffer;
    }
  | { readonly kind: "hash"; readonly stamp: Stamp; readonly body: Buffer }
  | { readonly kind: "none" }
  | { readonly kind: "malformed"; readonly reason: string };

export interface Stamp {
  /** When the file was signed, in UTC to the second. */
  readonly validatedAt: string;
  /** SHA-256 of the body, in lower-case hexadecimal. */
  readonly hash: string;
}

const STAMP = /^# kiwi-mcp:validated:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ):([0-9a-f]{64})$/;
const SEAL = /^# anygpt:ed25519:([0-9a-f]{32}):([\w-]{86})$/;
/** Matches everything that looks like a signature line, even if it is malformed. */
const ALIKE = /^\W*(?:kiwi-mcp|anygpt)\b/i;
const LINE_FEED = 0x0a;

export function encodeStamp({ validatedAt, hash }: Stamp): string {
  return `# kiwi-mcp:validated:${validatedAt}:${hash}`;
}

export function encodeSeal(keyId: string, signature: Uint8Array): string {
  return `# anygpt:ed25519:${keyId}:${Buffer.from(signature).toString("base64url")}`;
}

export function toValidatedAt(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

export function bodyHash(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

/** The bytes that are signed. The first line makes them different from messages signed for other purposes. */
export function toMessage(stamp: Stamp, keyId: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`anygpt-tool-file-v1\n${encodeStamp(stamp)}\n${keyId}\n`), body]);
}

/**
 * Parses the signature lines. Each has exactly one valid form; a similar line is reported as malformed and never
 * treated as body text.
 */
export function decodeEnvelope(bytes: Buffer): Envelope {
  const first = takeLine(bytes);
  const stamp = decodeStamp(first.line);
  if (stamp === undefined) {
    return ALIKE.test(first.line) ? malformed("its first line is not a `kiwi-mcp:validated` line") : { kind: "none" };
  }
  if (first.rest === undefined) return malformed("it ends with its first line");
  const second = takeLine(first.rest);
  const seal = decodeSeal(second.line);
  if (seal === undefined) {
    if (ALIKE.test(second.line)) return malformed("its second line is not a valid signature line");
    return { kind: "hash", stamp, body: first.rest };
  }
  if (second.rest === undefined) return malformed("it ends with its second line");
  if (ALIKE.test(takeLine(second.rest).line)) return malformed("there is another signature line below its signature");
  return { kind: "signed", stamp, ...seal, body: second.rest };
}

/** Returns the body without any valid or malformed signature lines, for signing the file again. */
export function bodyOf(bytes: Buffer): Buffer {
  let body = bytes;
  for (let next = takeLine(body); ALIKE.test(next.line); next = takeLine(body)) body = next.rest ?? Buffer.alloc(0);
  return body;
}

function decodeStamp(line: string): Stamp | undefined {
  const [, validatedAt, hash] = STAMP.exec(line) ?? [];
  if (validatedAt === undefined || hash === undefined) return undefined;
  const time = Date.parse(validatedAt);
  // Compare with the formatted time, because V8 accepts 30 February and turns it into a day in March.
  return Number.isFinite(time) && toValidatedAt(time) === validatedAt ? { validatedAt, hash } : undefined;
}

function decodeSeal(line: string): { keyId: string; signature: Buffer } | undefined {
  const [, keyId = "", text = ""] = SEAL.exec(line) ?? [];
  const signature = parseSignature(text);
  return KEY_ID.test(keyId) && signature !== undefined ? { keyId, signature } : undefined;
}

/**
 * Reads the bytes up to the first line feed, as one character per byte, so that different bytes never compare as equal.
 */
function takeLine(bytes: Buffer): { line: string; rest?: Buffer } {
  const end = bytes.indexOf(LINE_FEED);
  if (end === -1) return { line: bytes.toString("latin1") };
  return { line: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + 1) };
}

function malformed(reason: string): Envelope {
  return { kind: "malformed", reason };
}
