import { DiscoveryError } from "../errors.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Catalog } from "./catalog.js";
import type { Refresh } from "./refresh.js";
import type { CatalogServer } from "./snapshot.js";
import { describePhase } from "./starts.js";

export interface LookupParts {
  readonly catalog: Catalog;
  readonly refresh: Refresh;
  /** False when `cache.enabled` is false: then a server is asked each time somebody wants its list of tools. */
  readonly remembers: boolean;
  readonly ttlMs: number;
  readonly now: () => number;
}

export interface LookupCounts {
  /** Answered from the catalog. */
  readonly hits: number;
  /** The server had to be asked. */
  readonly misses: number;
}

/** How long whoever asks wants to wait for a server that has to be asked first. */
export interface Patience {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface Lookup {
  /** The server with its tools known, asking it first if need be; undefined when no server has the name. */
  server(name: string, patience?: Patience): Promise<CatalogServer | undefined>;
  /** The same for who wants the whole list, which is not remembered when the cache is switched off. */
  list(name: string, patience?: Patience): Promise<CatalogServer | undefined>;
  /** Asks a server anew whose list is older than the TTL; the known one stays if that fails. */
  refreshed(name: string, patience?: Patience): Promise<CatalogServer | undefined>;
  /** The same again for who wants a tool that is kept back: somebody may have approved it meanwhile. */
  rechecked(name: string): Promise<CatalogServer | undefined>;
  counts(): LookupCounts;
}

const LONGEST_WAIT_MS = 10_000;
/** What is known but old is not worth a long wait. */
const STALE_WAIT_MS = 3000;

export function createLookup({ catalog, refresh, remembers, ttlMs, now }: LookupParts): Lookup {
  let hits = 0;
  let misses = 0;

  const ask = async (name: string, patience: Patience = {}): Promise<CatalogServer | undefined> => {
    misses += 1;
    const phase = (): string => describePhase(refresh.starts().find((one) => one.name === name) ?? STARTING);
    await within(patience, refresh.refresh(name), { name, phase });
    return catalog.snapshot().servers.get(name);
  };
  const server = async (name: string, patience?: Patience): Promise<CatalogServer | undefined> => {
    const known = catalog.snapshot().servers.get(name);
    if (known === undefined) return undefined;
    if (isUnheard(known)) return await ask(name, patience);
    hits += 1;
    return known;
  };

  const isAskable = (name: string): boolean => {
    const known = catalog.snapshot().servers.get(name);
    return known !== undefined && known.definition.isFixed !== true;
  };
  const isStale = ({ record }: CatalogServer): boolean =>
    record !== undefined && (record.listedAt > now() || record.listedAt + ttlMs <= now());
  const refreshed = async (name: string, patience?: Patience): Promise<CatalogServer | undefined> => {
    const known = catalog.snapshot().servers.get(name);
    if (known === undefined || !isStale(known)) return await server(name, patience);
    const waitMs = Math.min(patience?.waitMs ?? STALE_WAIT_MS, STALE_WAIT_MS);
    return await ask(name, { ...patience, waitMs }).catch(() => known);
  };

  return {
    server,
    list: (name, patience) => (remembers || !isAskable(name) ? refreshed(name, patience) : ask(name, patience)),
    refreshed,
    async rechecked(name) {
      await catalog.recheck(name);
      return catalog.snapshot().servers.get(name);
    },
    counts: () => ({ hits, misses }),
  };
}

/** Whether it has to be asked before anybody can use it: what files say of a server's tools counts when the server says the same. */
function isUnheard({ record, tools, definition: { files, isFixed } }: CatalogServer): boolean {
  return record === undefined && isFixed !== true && (tools.length === 0 || files !== undefined);
}

interface Asked {
  readonly name: string;
  readonly phase: () => string;
}

/** A known server that is asked again. */
const STARTING = { phase: "starting", forMs: 0 } as const;

/** The start goes on after the wait: the next request finds it done. */
async function within(
  { waitMs = LONGEST_WAIT_MS, signal }: Patience,
  work: Promise<void>,
  { name, phase }: Asked,
): Promise<void> {
  let settle: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(cancelled(name));
    const timer = setTimeout(() => reject(starting(name, phase())), waitMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    await Promise.race([work, over]);
  } finally {
    settle();
    work.catch(() => undefined);
  }
}

function starting(server: string, phase: string): DiscoveryError {
  const seconds = RETRY_AFTER_SECONDS;
  return new DiscoveryError("UPSTREAM_STARTING", `${server} is still ${phase}; its tools are not known yet.`, {
    server,
    hint: `Call again in ${seconds} s. The start continues in the background.`,
    facts: { retry_after_seconds: seconds },
  });
}

function cancelled(server: string): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call was cancelled while ${server} was being asked for its tools.`, {
    server,
  });
}
