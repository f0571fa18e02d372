import { sha256 } from "../util/sha256.js";

/** What a tool's name is made of. */
export interface Nameable {
  /** Tells the operation from all others of its document. */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly id?: string;
}

const LONGEST = 64;

/**
 * A name for each operation: unique, in `[a-z0-9-]{1,64}`, and the same whatever the order of the document. Where several want
 * the same one, the operation whose own word it is has it, then the one with the shortest key; the others get a suffix from
 * theirs, so that adding an operation changes no name but those that want the same.
 */
export function nameOperations(operations: readonly Nameable[]): ReadonlyMap<Nameable, string> {
  const names = new Map<Nameable, string>();
  const wanted = new Map<string, Nameable[]>();
  for (const operation of operations) {
    const name = wantedName(operation);
    const others = wanted.get(name);
    if (others === undefined) wanted.set(name, [operation]);
    else others.push(operation);
  }
  const taken = new Set(wanted.keys());
  for (const [name, claimants] of [...wanted].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const [first, ...others] = claimants.sort((left, right) => precedence(left, right, name));
    if (first !== undefined) names.set(first, name);
    for (const other of others) names.set(other, withSuffix(name, other.key, taken));
  }
  return names;
}

function precedence(left: Nameable, right: Nameable, name: string): number {
  const own = Number(right.id === name) - Number(left.id === name);
  const length = left.key.length - right.key.length;
  return own || length || (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);
}

function withSuffix(name: string, key: string, taken: Set<string>): string {
  const hash = sha256(key);
  for (let length = 6; ; length += 2) {
    // Operations with the same key are the same one twice; only their number tells them apart.
    const suffix = length <= hash.length ? hash.slice(0, length) : `${hash.slice(0, 6)}-${length - hash.length}`;
    const made = `${name.slice(0, LONGEST - suffix.length - 1).replace(/-+$/, "")}-${suffix}`;
    if (taken.has(made) || made.length > LONGEST) continue;
    taken.add(made);
    return made;
  }
}

function wantedName({ id, method, path, key }: Nameable): string {
  const words = toKebab(id ?? "") || toKebab(`${method} ${path.replace(/\{([^{}]*)\}/g, " by $1 ")}`);
  if (words === "" || words === method.toLowerCase()) return `${words || "operation"}-${sha256(key).slice(0, 6)}`;
  if (words.length <= LONGEST) return words;
  return `${words.slice(0, LONGEST - 9).replace(/-+$/, "")}-${sha256(words).slice(0, 8)}`;
}

/** `listAllUsers`, `repos/list-for-user` and `HTTPServer2` as words with dashes. */
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
