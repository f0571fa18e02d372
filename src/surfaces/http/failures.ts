/** Wrong tokens by where they came from. */
export interface Failures {
  /** How long nothing from there is looked at; 0 when it is. A token that was right before is looked at always. */
  waitMs(source: string, hash: Buffer): number;
  failed(source: string, hash: Buffer): void;
  succeeded(hash: Buffer): void;
}

export interface FailuresParts {
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

/** So many are overlooked: a program that was not told of a new token is no attack. */
const FREE = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** So long after the last one it is forgotten. */
const MEMORY_MS = 600_000;
const MOST_SOURCES = 10_000;
const MOST_GOOD = 10_000;

interface Source {
  count: number;
  last: number;
  until: number;
}

/**
 * After the tenth wrong token each further one doubles the time in which nothing new from that place is looked at, up to
 * a minute. Callers behind one address are not shut out by a neighbour as long as they use what was right before.
 */
export function createFailures({ elapsed }: FailuresParts): Failures {
  const sources = new Map<string, Source>();
  const good = new Set<string>();

  const known = (source: string): Source | undefined => {
    const one = sources.get(source);
    if (one === undefined || elapsed() - one.last < MEMORY_MS) return one;
    sources.delete(source);
    return undefined;
  };

  return {
    waitMs(source, hash) {
      const left = (known(source)?.until ?? 0) - elapsed();
      return left <= 0 || good.has(hash.toString("base64")) ? 0 : left;
    },
    failed(source, hash) {
      good.delete(hash.toString("base64"));
      const now = elapsed();
      const one = known(source) ?? { count: 0, last: now, until: 0 };
      one.count += 1;
      one.last = now;
      const over = one.count - FREE;
      if (over >= 0) one.until = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(over, 16));
      // The latest stands last, so that the oldest goes first.
      sources.delete(source);
      sources.set(source, one);
      trim(sources, MOST_SOURCES);
    },
    succeeded(hash) {
      const text = hash.toString("base64");
      if (good.has(text)) return;
      good.add(text);
      trim(good, MOST_GOOD);
    },
  };
}

function trim(kept: Map<string, Source> | Set<string>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
