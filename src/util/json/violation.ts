/** What strict JSON refuses. The first group makes the whole text unusable, the second would change or hide a value on its way. */
export type JsonFault =
  | "too-large"
  | "not-utf8"
  | "not-json"
  | "too-deep"
  | "too-many-values"
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
  /** JSON pointer; empty for the value as a whole. */
  readonly path: string;
  /** What is wrong there, without a subject and a full stop, and never the value itself. */
  readonly message: string;
}

/** A value that means the same to everybody who reads it, or every reason why it does not. */
export type StrictJson =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "refused"; readonly violations: readonly JsonViolation[] };

export interface JsonLimits {
  readonly maxBytes: number;
  /** Containers inside each other. */
  readonly maxDepth: number;
  /** Values of any kind, containers included. */
  readonly maxValues: number;
}

export const JSON_LIMITS: JsonLimits = { maxBytes: 1024 * 1024, maxDepth: 64, maxValues: 100_000 };

/** More say nothing new, and a hostile text could have a hundred thousand. */
export const MOST_VIOLATIONS = 100;
const LONGEST_SHOWN_KEY = 128;

const MESSAGES: Readonly<Record<JsonFault, string>> = {
  "too-large": "is larger than the limit",
  "not-utf8": "is not UTF-8",
  "not-json": "is not JSON",
  "too-deep": "is nested too deep",
  "too-many-values": "holds too many values",
  "duplicate-key": "is there twice",
  "forbidden-key": "has a name that is not allowed",
  "unsafe-integer": "is an integer beyond ±9007199254740991, which not every reader keeps; write it as a string",
  "lossy-number": "is a number that would not arrive as written; write it with fewer digits or as a string",
  "negative-zero": "is -0, which would arrive as 0",
  "lone-surrogate": "holds half of a surrogate pair",
  "null-character": "holds the character U+0000",
  "not-plain": "is not a plain object or array",
  "not-a-value": "is not a JSON value",
};

const MALFORMED: ReadonlySet<JsonFault> = new Set(["too-large", "not-utf8", "not-json", "too-deep", "too-many-values"]);

/** Whether the request as a whole is malformed, rather than one of its values. */
export function isMalformed({ kind }: JsonViolation): boolean {
  return MALFORMED.has(kind);
}

export function toViolation(kind: JsonFault, path: string, detail?: string): JsonViolation {
  return { kind, path, message: detail === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} (${detail})` };
}

/** Keys that a program may take for something else than data. */
export function isForbiddenKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

/** The pointer's last step. Very long keys are cut: the pointer is for reading. */
export function toPointerStep(key: string | number): string {
  if (typeof key === "number") return `/${key}`;
  const shown = key.length > LONGEST_SHOWN_KEY ? `${key.slice(0, LONGEST_SHOWN_KEY)}…` : key;
  return `/${shown.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
