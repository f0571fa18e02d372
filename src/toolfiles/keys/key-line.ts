import { z } from "zod";
import { parseKeyBytes } from "./ed25519.js";

/** What people hand to each other: `anygpt-ed25519 {base64url of the 32 bytes} {name}`. */
export interface KeyLine {
  readonly publicKey: string;
  readonly name: string;
}

const LINE = /^anygpt-ed25519 ([\w-]{43}) (.+)$/u;

/** One line that shows as what it is: nothing invisible, nothing that turns the direction of writing. */
export const keyName = z
  .string()
  .regex(/^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,80}(?<! )$/u, "is not a line of 1 to 80 visible characters");

export const publicKeyText = z
  .string()
  .refine((text) => parseKeyBytes(text) !== undefined, "is not a public key of 32 bytes in base64url");

export function toKeyLine({ publicKey, name }: KeyLine): string {
  return `anygpt-ed25519 ${publicKey} ${name}`;
}

/** Undefined for anything but exactly one such line, with or without the end of the line. */
export function parseKeyLine(text: string): KeyLine | undefined {
  const [, publicKey = "", name = ""] = LINE.exec(text.replace(/\r?\n$/, "")) ?? [];
  const line = { publicKey, name };
  return publicKeyText.safeParse(publicKey).success && keyName.safeParse(name).success ? line : undefined;
}
