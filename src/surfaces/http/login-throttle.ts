/** Counts invalid tokens per source address. */
export interface LoginThrottle {
  /** How long tokens from this source are not checked; 0 if they are. A token that was accepted before is always checked. */
  waitMs(source: string, hash: Buffer): number;
  failed(source: string, hash: Buffer): void;
  succeeded(hash: Buffer): void;
}

export interface LoginThrottleParts {
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

/** This many failures have no effect: a program with an outdated token is not an attack. */
const FREE_FAILURES = 10;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** Failures are forgotten this long after the last one. */
const MEMORY_MS = 600_000;
const MAX_SOURCES = 10_000;
const MAX_ACCEPTED = 10_000;

interface Source {
  count: number;
  last: number;
  until: number;
}

/**
 * After ten invalid tokens from an address, each further one doubles the time in which new tokens from it are not checked, up to
 * one minute. Other callers behind the same address are not affected while they use a token that was accepted before.
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
      // Reinsert the source, so that the oldest one is first in the map.
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
