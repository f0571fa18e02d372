/** The keys seen so far in every object that is still open. */
export interface KeyTracker {
  /** A new object starts at this depth; the keys of the previous one are dropped. */
  open(depth: number): void;
  /** Whether the object at this depth already had the key; also adds it. */
  has(depth: number, key: string): boolean;
}

/** Up to this number of keys, a linear search is faster than a set. */
const FEW = 8;

interface Ring {
  count: number;
  readonly few: string[];
  many: Set<string> | undefined;
}

export function createKeyTracker(): KeyTracker {
  const rings: Ring[] = [];
  return {
    open(depth) {
      const ring = rings[depth];
      if (ring === undefined) {
        rings[depth] = { count: 0, few: [], many: undefined };
        return;
      }
      ring.count = 0;
      ring.many = undefined;
    },
    has(depth, key) {
      const ring = rings[depth];
      if (ring === undefined) return false;
      if (ring.many !== undefined) return isIn(ring.many, key);
      for (let at = 0; at < ring.count; at += 1) if (ring.few[at] === key) return true;
      ring.few[ring.count] = key;
      ring.count += 1;
      if (ring.count === FEW) ring.many = new Set(ring.few.slice(0, FEW));
      return false;
    },
  };
}

function isIn(keys: Set<string>, key: string): boolean {
  const before = keys.size;
  return keys.add(key).size === before;
}
