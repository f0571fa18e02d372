import { sha256 } from "../util/sha256.js";

/** The properties of an operation that its tool name is derived from. */
export interface Nameable {
  /** Identifies the operation in its API document. */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly id?: string;
}

const MAX_LENGTH = 64;

/**
 * Returns a tool name for each operation: unique, in `[a-z0-9-]{1,64}`, and independent of the order in the document.
 * If several operations would get the same name, the one whose id is exactly that name keeps it, otherwise the one with
 * the shortest key. The others get a hash of their key as suffix, so that a new operation changes only names that
 * collide with it.
 */
export function nameOperations(operations: readonly Nameable[]): ReadonlyMap<Nameable, string> {
  const names = new Map<Nameable, string>();
  const byName = new Map<string, Nameable[]>();
  for (const operation of operations) {
    const name = preferredName(operation);
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [operation]);
    else others.push(operation);
  }
  const taken = new Set(byName.keys());
  for (const [name, claimants] of [...byName].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const [first, ...others] = claimants.sort((left, right) => precedence(left, right, name));
    if (first !== undefined) names.set(first, name);
    for (const other of others) names.set(other, withSuffix(name, other.key, taken));
  }
  return names;
}

function precedence(left: Nameable, right: Nameable, name: string): number {
  const exact = Number(right.id === name) - Number(left.id === name);
  const length = left.key.length - right.key.length;
  return exact || length || (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);
}

function withSuffix(name: string, key: string, taken: Set<string>): string {
  const hash = sha256(key);
  for (let length = 6; ; length += 2) {
    // If even the complete hash does not make the name unique, two operations have the same key: a number then
    // distinguishes their names.
    const suffix = length <= hash.length ? hash.slice(0, length) : `${hash.slice(0, 6)}-${length - hash.length}`;
    const made = `${name.slice(0, MAX_LENGTH - suffix.length - 1).replace(/-+$/, "")}-${suffix}`;
    if (taken.has(made) || made.length > MAX_LENGTH) continue;
    taken.add(made);
    return made;
  }
}

function preferredName({ id, method, path, key }: Nameable): string {
  const words = toKebab(id ?? "") || toKebab(`${method} ${path.replace(/\{([^{}]*)\}/g, " by $1 ")}`);
  if (words === "" || words === method.toLowerCase()) return `${words || "operation"}-${sha256(key).slice(0, 6)}`;
  if (words.length <= MAX_LENGTH) return words;
  return `${words.slice(0, MAX_LENGTH - 9).replace(/-+$/, "")}-${sha256(words).slice(0, 8)}`;
}

/** Converts identifiers such as `listAllUsers`, `repos/list-for-user` and `HTTPServer2` to kebab case. */
export function toKebab(text: string): string {
  return text
    .slice(0, 400)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
