import { createKeyTracker } from "./key-tracker.js";
import { writtenNumberFault } from "./number-fault.js";
import { endOfPlainString, scanString } from "./scan-string.js";
import {
  isForbiddenKey,
  type JsonFault,
  type JsonLimits,
  type JsonViolation,
  MAX_VIOLATIONS,
  toPointerStep,
  toViolation,
} from "./violation.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_A = 0x61;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An integer with at most this many digits is always safe. */
const PLAIN_DIGITS = 15;

/**
 * Finds everything that strict JSON rejects and `JSON.parse` does not report, in one pass and without building the
 * value. Syntax errors are left to `JSON.parse`: in an invalid text, only exceeded limits are reliably found.
 */
export function scanJson(text: string, limits: Omit<JsonLimits, "maxBytes">): readonly JsonViolation[] {
  const violations: JsonViolation[] = [];
  const isWellFormed = text.isWellFormed();
  const keys = createKeyTracker();
  /** The current key or index of every open object and array. Only the first `depth` entries are in use. */
  const steps: (string | number)[] = [];
  const areObjects: boolean[] = [];
  let depth = 0;
  let values = 0;
  let keyCount = 0;
  let expectsKey = false;

  const report = (kind: JsonFault): void => {
    violations.push(toViolation(kind, steps.slice(0, depth).map(toPointerStep).join("")));
  };
  const takeKey = (key: string): void => {
    steps[depth - 1] = key;
    expectsKey = false;
    keyCount += 1;
    if (keys.has(depth, key)) report("duplicate-key");
    if (isForbiddenKey(key)) report("forbidden-key");
  };
  /** Scans a string; returns the position of its closing quote. */
  const takeString = (at: number): number => {
    const end = isWellFormed ? endOfPlainString(text, at + 1) : -1;
    if (end !== -1) {
      if (expectsKey) takeKey(text.slice(at + 1, end));
      else values += 1;
      return end;
    }
    const found = scanString(text, at + 1);
    if (expectsKey) takeKey(found.isPlain ? text.slice(at + 1, found.end) : decode(text.slice(at, found.end + 1)));
    else values += 1;
    for (const fault of found.faults) report(fault);
    return found.end;
  };

  /** Scans a number; returns the position of its last character. */
  const takeNumber = (at: number): number => {
    values += 1;
    const digits = endOfDigits(text, at);
    const end = endOfNumber(text, digits);
    const isPlain = end === digits && end - at <= PLAIN_DIGITS;
    const fault = isPlain ? undefined : writtenNumberFault(text.slice(at, end));
    if (fault !== undefined) report(fault);
    return end - 1;
  };
  const open = (isObject: boolean): void => {
    values += 1;
    steps[depth] = isObject ? "" : 0;
    areObjects[depth] = isObject;
    expectsKey = isObject;
    depth += 1;
    keys.open(depth);
  };
  const close = (): void => {
    depth = Math.max(0, depth - 1);
    expectsKey = false;
  };
  const advance = (): void => {
    expectsKey = areObjects[depth - 1] === true;
    const step = steps[depth - 1];
    if (typeof step === "number") steps[depth - 1] = step + 1;
  };

  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = takeString(at);
    else if (code === COMMA) advance();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (depth === limits.maxDepth) return [toViolation("too-deep", "", `at most ${limits.maxDepth} levels`)];
      open(code === OPEN_OBJECT);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) close();
    else if (code === MINUS || (code >= ZERO && code <= NINE)) at = takeNumber(at);
    else if (code >= SMALL_A) {
      values += 1;
      at = endOfWord(text, at) - 1;
    }
    if (violations.length >= MAX_VIOLATIONS) break;
    if (keyCount > limits.maxKeys) return [toViolation("too-many-keys", "", `at most ${limits.maxKeys}`)];
    if (values > limits.maxValues) return [toViolation("too-many-values", "", `at most ${limits.maxValues}`)];
  }
  return violations;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code < ZERO || code > NINE) break;
  }
  return end;
}

/** The end of a number: of its digits, `+`, `-`, `.`, `e` and `E`. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    const belongs = (code >= ZERO && code <= NINE) || code === MINUS || code === 0x2b || code === 0x2e;
    if (!belongs && (code | 0x20) !== 0x65) break;
  }
  return end;
}

/** The end of the literal `true`, `false` or `null`. */
function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) >= 0x61 && text.charCodeAt(end) <= 0x7a) end += 1;
  return end;
}

/** Decodes a quoted key that has escapes. */
function decode(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
