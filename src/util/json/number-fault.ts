import type { JsonFault } from "./violation.js";

/**
 * From this number on, `JSON.stringify` writes an exponent, so that readers do not take the number for an exact
 * integer.
 */
const MIN_WRITTEN_WITH_EXPONENT = 1e21;
const MIN_NORMAL = 2.2250738585072014e-308;
/** The number of significant decimal digits that a normal double always preserves (IEEE 754). */
const PRESERVED_DIGITS = 15;

const POINT = 0x2e;
const MINUS = 0x2d;
const ZERO = 0x30;
const SMALL_E = 0x65;

/** Returns why strict JSON rejects a number, judged by its value. */
export function numberFault(value: number): JsonFault | undefined {
  if (!Number.isFinite(value)) return "not-a-value";
  if (Object.is(value, -0)) return "negative-zero";
  const size = Math.abs(value);
  const isUnsafe = size > Number.MAX_SAFE_INTEGER && size < MIN_WRITTEN_WITH_EXPONENT && Number.isInteger(value);
  return isUnsafe ? "unsafe-integer" : undefined;
}

/**
 * Returns why strict JSON rejects a number as it is written. A reader that parses the number and writes it back (the
 * shortest decimal of the double) must get an equal decimal, in any notation. A number that passes here also passes
 * `numberFault`.
 */
export function writtenNumberFault(token: string): JsonFault | undefined {
  const value = Number(token);
  if (!Number.isFinite(value)) return "lossy-number";
  if (token.length <= PRESERVED_DIGITS && Math.abs(value) >= MIN_NORMAL) return numberFault(value);
  if (String(value) === token) return numberFault(value);
  if (!Number.isSafeInteger(value) && /^-?\d+$/.test(token)) return "unsafe-integer";
  if (!isSameDecimal(toDecimal(token), toDecimal(String(value)))) return "lossy-number";
  return numberFault(value);
}

interface Decimal {
  /** The digits from the first significant one to the last; empty for zero. */
  readonly digits: string;
  /** The exponent (power of ten) of the last digit. */
  readonly power: number;
}

function isSameDecimal(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.power === other.power;
}

function toDecimal(written: string): Decimal {
  let point = -1;
  let first = -1;
  let last = -1;
  let end = 0;
  for (; end < written.length; end += 1) {
    const code = written.charCodeAt(end);
    if ((code | 0x20) === SMALL_E) break;
    if (code === POINT) point = end;
    else if (code !== ZERO && code !== MINUS) {
      if (first === -1) first = end;
      last = end;
    }
  }
  if (first === -1) return { digits: "", power: 0 };
  const exponent = Number(written.slice(end + 1));
  const ones = point === -1 ? end : point;
  return {
    digits: written.slice(first, last + 1).replace(".", ""),
    power: exponent + (last < ones ? ones - last - 1 : ones - last),
  };
}
