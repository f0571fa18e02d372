import { foldName } from "../util/fold-name.js";

/** A string that patterns are matched against: as the server wrote it, and in its normal form (see `foldName`). */
export interface Subject {
  readonly written: string;
  readonly folded: string;
  /** Fingerprint bits of the normal form; see `fingerprint`. */
  readonly pairs: number;
}

export function toSubject(text: string): Subject {
  const folded = foldName(text);
  return { written: text, folded, pairs: fingerprint(folded) };
}

/**
 * Sets one of 32 bits for each pair of adjacent characters. A string that contains another one has all bits of that
 * one, so a single `&` rules out most patterns before they are matched.
 */
export function fingerprint(text: string): number {
  let bits = 0;
  for (let index = 1; index < text.length; index += 1) {
    const pair = text.charCodeAt(index - 1) * 31 + text.charCodeAt(index);
    bits |= 1 << (Math.imul(pair, 0x9e3779b1) >>> 27);
  }
  return bits;
}
