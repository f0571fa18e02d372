/** Counts invalid tokens per source address and slows down guessing. Valid tokens are never throttled. */
export interface LoginThrottle {
  /** For how many milliseconds an invalid token from this source is answered with "too many"; 0 if it is counted. */
  waitMs(source: string): number;
  failed(source: string): void;
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

interface Source {
  count: number;
  last: number;
  until: number;
}

/**
 * After ten invalid tokens from an address, further invalid tokens from it are told to wait for one second. Each further
 * invalid token after the wait doubles that time, up to one minute.
 */
export function createLoginThrottle({ elapsed }: LoginThrottleParts): LoginThrottle {
  const sources = new Map<string, Source>();

  const known = (source: string): Source | undefined => {
    const one = sources.get(source);
    if (one === undefined || elapsed() - one.last < MEMORY_MS) return one;
    sources.delete(source);
    return undefined;
  };

  return {
    waitMs: (source) => Math.max(0, (known(source)?.until ?? 0) - elapsed()),
    failed(source) {
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
  };
}

function trim(entries: Map<string, Source>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
