/**
 * What strict JSON rejects. The first six make the whole text unusable; the others would change or hide a value in
 * transit.
 */
export type JsonFault =
  | "too-large"
  | "not-utf8"
  | "not-json"
  | "too-deep"
  | "too-many-values"
  | "too-many-keys"
  | "duplicate-key"
  | "forbidden-key"
  | "unsafe-integer"
  | "lossy-number"
  | "negative-zero"
  | "lone-surrogate"
  | "null-character"
  | "not-plain"
  | "not-a-value";

export interface JsonViolation {
  readonly kind: JsonFault;
  /** JSON pointer to the rejected value; empty for the whole text. */
  readonly path: string;
  /** What is wrong, as a predicate without a full stop. It never contains the value itself. */
  readonly message: string;
}

/** A value that every JSON reader understands in the same way, or every reason why it is not one. */
export type StrictJson =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "refused"; readonly violations: readonly JsonViolation[] };

export interface JsonLimits {
  readonly maxBytes: number;
  /** The maximum nesting depth of objects and arrays. */
  readonly maxDepth: number;
  /** The maximum number of values of any kind, including objects and arrays. */
  readonly maxValues: number;
  /** The maximum number of keys of all objects together. Keys cost much more than other text of the same size. */
  readonly maxKeys: number;
}

export const JSON_LIMITS: JsonLimits = { maxBytes: 1024 * 1024, maxDepth: 64, maxValues: 100_000, maxKeys: 25_000 };

/** The maximum number of reported violations: more would not help, and a hostile text could have a hundred thousand. */
export const MAX_VIOLATIONS = 100;
const MAX_SHOWN_KEY_LENGTH = 128;

const MESSAGES: Readonly<Record<JsonFault, string>> = {
  "too-large": "is larger than the limit",
  "not-utf8": "is not UTF-8",
  "not-json": "is not JSON",
  "too-deep": "is nested too deep",
  "too-many-values": "has too many values",
  "too-many-keys": "has too many keys",
  "duplicate-key": "occurs twice",
  "forbidden-key": "has a name that is not allowed",
  "unsafe-integer": "is an integer beyond ±9007199254740991, which not every reader keeps; write it as a string",
  "lossy-number": "is a number that would lose digits; write it with fewer digits or as a string",
  "negative-zero": "is -0, which would become 0",
  "lone-surrogate": "contains half of a surrogate pair",
  "null-character": "contains the character U+0000",
  "not-plain": "is not a plain object or array",
  "not-a-value": "is not a JSON value",
};

const MALFORMED: ReadonlySet<JsonFault> = new Set([
  "too-large",
  "not-utf8",
  "not-json",
  "too-deep",
  "too-many-values",
  "too-many-keys",
]);

/** Whether the whole request is malformed, rather than one of its values. */
export function isMalformed({ kind }: JsonViolation): boolean {
  return MALFORMED.has(kind);
}

export function toViolation(kind: JsonFault, path: string, detail?: string): JsonViolation {
  return { kind, path, message: detail === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} (${detail})` };
}

/** Whether a key can change the prototype of an object in JavaScript. */
export function isForbiddenKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

/** One segment of a JSON pointer. Very long keys are cut, because the pointer is for display. */
export function toPointerStep(key: string | number): string {
  if (typeof key === "number") return `/${key}`;
  const shown = key.length > MAX_SHOWN_KEY_LENGTH ? `${key.slice(0, MAX_SHOWN_KEY_LENGTH)}…` : key;
  return `/${shown.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
