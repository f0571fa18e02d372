/** Listing 100,000 keys takes V8 more than 30 ms, each time. */
const REMEMBERED_KEYS = 1000;
const remembered = new WeakMap<object, readonly string[]>();

/** The names of the members of an object. For an object with many of them, V8 lists them only once. */
export function keysOf(object: object): readonly string[] {
  const known = remembered.get(object);
  if (known !== undefined) return known;
  const keys = Object.keys(object);
  rememberKeys(object, keys);
  return keys;
}

export function rememberKeys(object: object, keys: readonly string[]): void {
  if (keys.length >= REMEMBERED_KEYS) remembered.set(object, keys);
}

export function hasMembers(object: object): boolean {
  return keysOf(object).length > 0;
}
