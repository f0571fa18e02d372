import { createHmac } from "node:crypto";

/** An array or object that is being written. */
interface Level {
  readonly value: readonly unknown[] | Readonly<Record<string, unknown>>;
  /** The sorted keys of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, numbers and strings as in
 * `JSON.stringify`, no white space. Two values have the same text exactly if they are equal. An undefined member counts
 * as absent. Throws for any other value that is not JSON, because omitting it would make two different values equal.
 * Iterative, so that deep nesting cannot exhaust the stack.
 */
export function canonicalJson(value: unknown): string {
  const levels: Level[] = [];
  const above = new Set<object>();
  let text = begin(value, levels, above);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    text += advance(level, levels, above);
  }
  return text;
}

/**
 * HMAC-SHA-256 of the canonical text, in hexadecimal. Without the HMAC key, nobody can guess the value from the hash.
 */
export function hashCanonical(value: unknown, key: Uint8Array): string {
  return createHmac("sha256", key).update(canonicalJson(value)).digest("hex");
}

/** Starts a value: returns a complete scalar, or the opening bracket of an array or object. */
function begin(value: unknown, levels: Level[], above: Set<object>): string {
  if (typeof value === "object" && value !== null) {
    if (above.has(value)) throw new TypeError("A value that contains itself has no canonical JSON.");
    above.add(value);
    const level = toLevel(value);
    levels.push(level);
    return level.keys === undefined ? "[" : "{";
  }
  const isScalar = value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!isScalar) throw new TypeError(`A value of type ${typeof value} has no canonical JSON.`);
  return JSON.stringify(value);
}

function toLevel(value: object): Level {
  if (Array.isArray(value)) return { value, keys: undefined, next: 0 };
  const members = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(members).filter((key) => members[key] !== undefined);
  return { value: members, keys: keys.sort(byCodeUnits), next: 0 };
}

/** Returns the next item or member of the array or object, or its closing bracket. */
function advance(level: Level, levels: Level[], above: Set<object>): string {
  const { value, keys, next } = level;
  const length = keys === undefined ? (value as readonly unknown[]).length : keys.length;
  if (next === length) {
    levels.pop();
    above.delete(value);
    return keys === undefined ? "]" : "}";
  }
  level.next += 1;
  const comma = next === 0 ? "" : ",";
  if (keys === undefined) return comma + begin((value as readonly unknown[])[next], levels, above);
  const key = keys[next] ?? "";
  const member = (value as Readonly<Record<string, unknown>>)[key];
  return `${comma}${JSON.stringify(key)}:${begin(member, levels, above)}`;
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
