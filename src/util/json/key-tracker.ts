/** Finds duplicate keys: remembers the keys of every JSON object that is still open. */
export interface KeyTracker {
  /** Starts a new object at this depth. Drops the keys of the previous object there. */
  open(depth: number): void;
  /** Adds the key; returns whether the object at this depth already had it. */
  has(depth: number, key: string): boolean;
}

/** Up to this number of keys, a linear search is faster than a set. */
const FEW = 8;

interface SeenKeys {
  count: number;
  readonly few: string[];
  many: Set<string> | undefined;
}

export function createKeyTracker(): KeyTracker {
  const objects: SeenKeys[] = [];
  return {
    open(depth) {
      const seen = objects[depth];
      if (seen === undefined) {
        objects[depth] = { count: 0, few: [], many: undefined };
        return;
      }
      seen.count = 0;
      seen.many = undefined;
    },
    has(depth, key) {
      const seen = objects[depth];
      if (seen === undefined) return false;
      if (seen.many !== undefined) return isIn(seen.many, key);
      for (let at = 0; at < seen.count; at += 1) if (seen.few[at] === key) return true;
      seen.few[seen.count] = key;
      seen.count += 1;
      if (seen.count === FEW) seen.many = new Set(seen.few.slice(0, FEW));
      return false;
    },
  };
}

function isIn(keys: Set<string>, key: string): boolean {
  const before = keys.size;
  return keys.add(key).size === before;
}
