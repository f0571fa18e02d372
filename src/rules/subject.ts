/**
 * A string that patterns are matched against. Regexes are matched against the original string, globs against its
 * normalized form.
 */
export interface Subject {
  readonly written: string;
  readonly folded: string;
  /** Fingerprint bits of the normalized string; see `fingerprint`. */
  readonly pairs: number;
}

/** Normalizes a string for globs: lower case, and without compatibility forms such as full-width letters. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

export function toSubject(text: string): Subject {
  const folded = fold(text);
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
