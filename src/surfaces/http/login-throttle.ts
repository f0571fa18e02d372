/** Counts invalid tokens per source address and slows down guessing. */
export interface LoginThrottle {
  /**
   * Returns for how many milliseconds a token from this source will not be checked; 0 if it is checked now. A token
   * that was accepted before is always checked.
   */
  waitMs(source: string, hash: Buffer): number;
  failed(source: string, hash: Buffer): void;
  succeeded(hash: Buffer): void;
}

export interface LoginThrottleParts {
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

/** Throttling begins with this many invalid tokens, not earlier: a client with an outdated token is not an attack. */
const FREE_FAILURES = 10;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** The failures of a source are forgotten this long after its last failure. */
const MEMORY_MS = 600_000;
const MAX_SOURCES = 10_000;
const MAX_ACCEPTED = 10_000;

interface Source {
  count: number;
  last: number;
  until: number;
}

/**
 * After ten invalid tokens from an address, tokens from this address are not checked for one second. Each further
 * invalid token doubles that time, up to one minute. Callers behind the same address whose token was accepted before
 * are not affected.
 */
export function createLoginThrottle({ elapsed }: LoginThrottleParts): LoginThrottle {
  const sources = new Map<string, Source>();
  const accepted = new Set<string>();

  const known = (source: string): Source | undefined => {
    const one = sources.get(source);
    if (one === undefined || elapsed() - one.last < MEMORY_MS) return one;
    sources.delete(source);
    return undefined;
  };

  return {
    waitMs(source, hash) {
      const left = (known(source)?.until ?? 0) - elapsed();
      return left <= 0 || accepted.has(hash.toString("base64")) ? 0 : left;
    },
    failed(source, hash) {
      accepted.delete(hash.toString("base64"));
      const now = elapsed();
      const one = known(source) ?? { count: 0, last: now, until: 0 };
      one.count += 1;
      one.last = now;
      const over = one.count - FREE_FAILURES;
      if (over >= 0) one.until = now + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(over, 16));
      // Reinsert the source, so that the map is sorted by the time of the last failure, oldest first.
      sources.delete(source);
      sources.set(source, one);
      trim(sources, MAX_SOURCES);
    },
    succeeded(hash) {
      const text = hash.toString("base64");
      if (accepted.has(text)) return;
      accepted.add(text);
      trim(accepted, MAX_ACCEPTED);
    },
  };
}

function trim(entries: Map<string, Source> | Set<string>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
