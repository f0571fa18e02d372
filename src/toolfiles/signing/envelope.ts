import { createHash } from "node:crypto";
import { KEY_ID, parseSignature } from "../keys/ed25519.js";

/** The two lines above a tool file's body, taken apart. `body` is part of the buffer that was given. */
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
  /** In UTC, to the second. */
  readonly validatedAt: string;
  /** SHA-256 of the body, in lower-case hexadecimal. */
  readonly hash: string;
}

const STAMP = /^# kiwi-mcp:validated:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ):([0-9a-f]{64})$/;
const SEAL = /^# anygpt:ed25519:([0-9a-f]{32}):([\w-]{86})$/;
/** What is meant to be one of the two lines, however it is written. */
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

export function hashOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

/** What the signature is over. The first line keeps it from ever being one of something else. */
export function toMessage(stamp: Stamp, keyId: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`anygpt-tool-file-v1\n${encodeStamp(stamp)}\n${keyId}\n`), body]);
}

/** There is exactly one way to write each line; everything else that resembles one is malformed and never taken for text. */
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
    if (ALIKE.test(second.line)) return malformed("its second line is not a signature in the one form there is");
    return { kind: "hash", stamp, body: first.rest };
  }
  if (second.rest === undefined) return malformed("it ends with its second line");
  if (ALIKE.test(takeLine(second.rest).line)) return malformed("there is another signature line below its signature");
  return { kind: "signed", stamp, ...seal, body: second.rest };
}

/** What stands below the lines, right or wrong, that are meant to be an envelope: what is to be signed anew. */
export function bodyOf(bytes: Buffer): Buffer {
  let body = bytes;
  for (let next = takeLine(body); ALIKE.test(next.line); next = takeLine(body)) body = next.rest ?? Buffer.alloc(0);
  return body;
}

function decodeStamp(line: string): Stamp | undefined {
  const [, validatedAt, hash] = STAMP.exec(line) ?? [];
  if (validatedAt === undefined || hash === undefined) return undefined;
  const time = Date.parse(validatedAt);
  // There is no 30 February, and V8 would make a day in March of it.
  return Number.isFinite(time) && toValidatedAt(time) === validatedAt ? { validatedAt, hash } : undefined;
}

function decodeSeal(line: string): { keyId: string; signature: Buffer } | undefined {
  const [, keyId = "", text = ""] = SEAL.exec(line) ?? [];
  const signature = parseSignature(text);
  return KEY_ID.test(keyId) && signature !== undefined ? { keyId, signature } : undefined;
}

/** The bytes up to the first line feed, each as one character, so that no two lines look the same. */
function takeLine(bytes: Buffer): { line: string; rest?: Buffer } {
  const end = bytes.indexOf(LINE_FEED);
  if (end === -1) return { line: bytes.toString("latin1") };
  return { line: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + 1) };
}

function malformed(reason: string): Envelope {
  return { kind: "malformed", reason };
}
