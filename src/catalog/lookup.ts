import { DiscoveryError } from "../errors.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Catalog } from "./catalog.js";
import type { Refresh } from "./refresh.js";
import type { CatalogServer } from "./snapshot.js";
import { describeProgress } from "./starts.js";

export interface LookupParts {
  readonly catalog: Catalog;
  readonly refresh: Refresh;
  /** False if `cache.enabled` is false: then the server is asked for its tools each time its tool list is requested. */
  readonly remembers: boolean;
  readonly ttlMs: number;
  readonly now: () => number;
}

export interface LookupCounts {
  /** Lookups answered from the catalog. */
  readonly hits: number;
  /** Lookups that had to list the server. */
  readonly misses: number;
}

/** How long the caller waits for a server that must be listed first. */
export interface LookupOptions {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface CatalogLookup {
  /** The server with its tools, listed first if necessary; undefined if no server has the name. */
  server(name: string, patience?: LookupOptions): Promise<CatalogServer | undefined>;
  /** The same for callers that need the complete list, which is not cached if the cache is disabled. */
  list(name: string, patience?: LookupOptions): Promise<CatalogServer | undefined>;
  /** Lists a server again if its list is older than the TTL; keeps the known list if that fails. */
  refreshed(name: string, patience?: LookupOptions): Promise<CatalogServer | undefined>;
  /** The same for callers of a quarantined tool: it may have been approved in the meantime. */
  rechecked(name: string): Promise<CatalogServer | undefined>;
  counts(): LookupCounts;
}

const LONGEST_WAIT_MS = 10_000;
/** A stale list is refreshed for at most this long before it is used. */
const STALE_WAIT_MS = 3000;

export function createCatalogLookup({ catalog, refresh, remembers, ttlMs, now }: LookupParts): CatalogLookup {
  let hits = 0;
  let misses = 0;

  const ask = async (name: string, patience: LookupOptions = {}): Promise<CatalogServer | undefined> => {
    misses += 1;
    const phase = (): string => describeProgress(refresh.starts().find((one) => one.name === name) ?? STARTING);
    await within(patience, refresh.refresh(name), { name, phase });
    return catalog.snapshot().servers.get(name);
  };
  const server = async (name: string, patience?: LookupOptions): Promise<CatalogServer | undefined> => {
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
  const refreshed = async (name: string, patience?: LookupOptions): Promise<CatalogServer | undefined> => {
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

/** Whether the server must be listed before use: tools from signed files are valid only if the server confirms them. */
function isUnheard({ record, tools, definition: { files, isFixed } }: CatalogServer): boolean {
  return record === undefined && isFixed !== true && (tools.length === 0 || files !== undefined);
}

interface Asked {
  readonly name: string;
  readonly phase: () => string;
}

/** The status of a known server that is listed again. */
const STARTING = { phase: "starting", forMs: 0 } as const;

/** The start continues after the wait, so that the next request can use it. */
async function within(
  { waitMs = LONGEST_WAIT_MS, signal }: LookupOptions,
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
  return new DiscoveryError("UPSTREAM_STARTING", `${server} ${phase}; its tools are not known yet.`, {
    server,
    hint: [{ action: "retry", afterSeconds: seconds }, "The start continues in the background."],
    facts: { retry_after_seconds: seconds },
  });
}

function cancelled(server: string): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call was cancelled while ${server} was listing its tools.`, {
    server,
  });
}
