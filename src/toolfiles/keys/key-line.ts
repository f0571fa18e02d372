import { z } from "zod";
import { parseKeyBytes } from "./ed25519.js";

/** The text form of a public key, for exchange: `anygpt-ed25519 {base64url of the 32 bytes} {name}`. */
export interface KeyLine {
  readonly publicKey: string;
  readonly name: string;
}

const TYPE = "anygpt-ed25519";
const KEY = /^[\w-]{43}$/u;
const LINE = /^anygpt-ed25519 ([\w-]{43}) (.+)$/u;

/**
 * The name of a key: one line without invisible characters and without characters that change the writing direction.
 */
export const keyName = z
  .string()
  .regex(/^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,80}(?<! )$/u, "is not a line of 1 to 80 visible characters");

export const publicKeyText = z
  .string()
  .refine((text) => parseKeyBytes(text) !== undefined, "is not a public key of 32 bytes in base64url");

export function toKeyLine({ publicKey, name }: KeyLine): string {
  return `anygpt-ed25519 ${publicKey} ${name}`;
}

/**
 * Joins the type and the key of a key line that was typed without quotes: the key may begin with a hyphen, and would
 * then be read as an option.
 */
export function joinKeyLine(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word, index) => word === TYPE && KEY.test(words[index + 1] ?? ""));
  return start === -1
    ? words
    : [...words.slice(0, start), words.slice(start, start + 2).join(" "), ...words.slice(start + 2)];
}

/** Parses the text form of a key. Undefined unless the text is exactly one such line, with or without a line break. */
export function parseKeyLine(text: string): KeyLine | undefined {
  const [, publicKey = "", name = ""] = LINE.exec(text.replace(/\r?\n$/, "")) ?? [];
  const line = { publicKey, name };
  return publicKeyText.safeParse(publicKey).success && keyName.safeParse(name).success ? line : undefined;
}
