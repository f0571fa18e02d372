/** A text that patterns are tried on, prepared once: regexes see it as written, globs see it folded. */
export interface Subject {
  readonly written: string;
  readonly folded: string;
  /** A small fingerprint of the folded text's character pairs, see `fingerprint`. */
  readonly pairs: number;
}

/** The one form in which globs compare text: letter case and compatibility forms (such as full-width letters) make no difference. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

export function toSubject(text: string): Subject {
  const folded = fold(text);
  return { written: text, folded, pairs: fingerprint(folded) };
}

/**
 * One of 32 bits for each pair of neighbouring characters. A text that contains another has all of the other's bits,
 * so one `&` rules most patterns out before they are tried.
 */
export function fingerprint(text: string): number {
  let bits = 0;
  for (let index = 1; index < text.length; index += 1) {
    const pair = text.charCodeAt(index - 1) * 31 + text.charCodeAt(index);
    bits |= 1 << (Math.imul(pair, 0x9e3779b1) >>> 27);
  }
  return bits;
}
