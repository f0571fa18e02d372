const TEMPLATE_CHARACTERS = 120;
const HASH = 35;
/** The constants of the hash function FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Numbers the template of the line from `start` to `end`: its beginning with `#` for each number, also hexadecimal. Lines
 * with the same template are similar. Two templates have the same number in one of four billion cases. Creates no
 * strings, because a log has very many lines.
 */
export function templateOf(text: string, start: number, end: number): number {
  let at = start;
  let last = end;
  while (at < last && text.charCodeAt(at) <= 32) at += 1;
  while (last > at && text.charCodeAt(last - 1) <= 32) last -= 1;
  last = Math.min(last, at + TEMPLATE_CHARACTERS);
  let hash = BASIS;
  while (at < last) {
    let to = at;
    let hasDigit = false;
    for (let code = text.charCodeAt(to); to < last && isHexadecimal(code); code = text.charCodeAt(to)) {
      hasDigit ||= code <= 57;
      to += 1;
    }
    if (hasDigit) {
      hash = Math.imul(hash ^ HASH, PRIME);
      at = to;
    } else
      for (const next = Math.max(to, at + 1); at < next; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return hash | 0;
}

function isHexadecimal(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}
