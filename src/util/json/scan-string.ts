import type { JsonFault } from "./violation.js";

export interface ScannedString {
  /** The position of the string's closing quote, or the end of the text. */
  readonly end: number;
  /** Whether the string has no escapes. */
  readonly isPlain: boolean;
  readonly faults: readonly JsonFault[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const MIN_LOW_SURROGATE = 0xdc00;
/** How many characters are searched one by one. Beyond them, `indexOf` is faster. */
const NEAR = 24;

/**
 * Returns the end of the string that begins at `start`, or -1 if it has escapes and needs `scanString`. The text must
 * have no lone surrogates.
 */
export function endOfPlainString(text: string, start: number): number {
  const near = Math.min(start + NEAR, text.length);
  for (let at = start; at < near; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) return -1;
  }
  const end = text.indexOf('"', near);
  if (end === -1) return text.length;
  return text.slice(near, end).includes("\\") ? -1 : end;
}

/** Scans a string for invalid escapes and surrogates only: `JSON.parse` finds every other error. */
export function scanString(text: string, start: number): ScannedString {
  let isPlain = true;
  let hasNull = false;
  let isLone = false;
  /** The position at which the second half of a surrogate pair must follow. */
  let awaited = -1;
  let at = start;
  while (at < text.length) {
    let unit = text.charCodeAt(at);
    if (unit === QUOTE) break;
    if (unit !== BACKSLASH && !isSurrogate(unit)) {
      at += 1;
      continue;
    }
    const isEscape = unit === BACKSLASH;
    const isHex = isEscape && text.charCodeAt(at + 1) === LETTER_U;
    if (isHex) unit = Number.parseInt(text.slice(at + 2, at + 6), 16);
    if (isEscape) isPlain = false;
    if (isHex && unit === 0) hasNull = true;
    const end = at + (isHex ? 6 : isEscape ? 2 : 1);
    if (isSurrogate(unit)) {
      const isSecond = unit >= MIN_LOW_SURROGATE;
      if (isSecond ? awaited !== at : awaited !== -1) isLone = true;
      awaited = isSecond ? -1 : end;
    }
    at = end;
  }
  const faults: JsonFault[] = [];
  if (isLone || awaited !== -1) faults.push("lone-surrogate");
  if (hasNull) faults.push("null-character");
  return { end: Math.min(at, text.length), isPlain, faults };
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}
