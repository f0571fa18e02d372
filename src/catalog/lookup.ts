import { DiscoveryError } from "../errors.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Catalog } from "./catalog.js";
import type { Refresh } from "./refresh.js";
import type { CatalogServer } from "./snapshot.js";
import { describePending } from "./starts.js";

export interface LookupParts {
  readonly catalog: Catalog;
  readonly refresh: Refresh;
  /** The option `cache.enabled`. If false, `list` requests the tool list from the server every time. */
  readonly isCacheEnabled: boolean;
  readonly ttlMs: number;
  readonly now: () => number;
}

export interface LookupCounts {
  /** The number of lookups that were answered from the catalog. */
  readonly hits: number;
  /** The number of lookups for which the tool list had to be requested from the server. */
  readonly misses: number;
}

/**
 * Limits the wait for the server if its tool list must be requested first. Default of `waitMs`: 10 s. After that, the
 * lookup rejects with UPSTREAM_STARTING.
 */
export interface LookupOptions {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface CatalogLookup {
  /**
   * Returns the server with its tools; requests the tool list first if it is unknown. Undefined if no server has this
   * name.
   */
  server(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /** Like `server`, but also requests the tool list again if the known list is stale or the cache is disabled. */
  list(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /**
   * Like `server`, but also requests the tool list again if the known list is older than the TTL. If that request
   * fails, returns the known list.
   */
  refreshed(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /** Checks the server's quarantined tools again, because a user may have approved them, and returns the server. */
  rechecked(name: string): Promise<CatalogServer | undefined>;
  counts(): LookupCounts;
}

const DEFAULT_WAIT_MS = 10_000;
/** How long a caller waits for a new tool list if the known one is stale. After that, the stale list is used. */
const STALE_WAIT_MS = 3000;

export function createCatalogLookup({ catalog, refresh, isCacheEnabled, ttlMs, now }: LookupParts): CatalogLookup {
  let hits = 0;
  let misses = 0;

  const listNow = async (name: string, options: LookupOptions = {}): Promise<CatalogServer | undefined> => {
    misses += 1;
    const progress = (): string =>
      describePending([refresh.starts().find((one) => one.name === name) ?? { name, ...STARTING }]);
    await within(options, refresh.refresh(name), { name, progress });
    return catalog.snapshot().servers.get(name);
  };
  const server = async (name: string, options?: LookupOptions): Promise<CatalogServer | undefined> => {
    const known = catalog.snapshot().servers.get(name);
    if (known === undefined) return undefined;
    if (mustList(known)) return await listNow(name, options);
    hits += 1;
    return known;
  };

  const isListable = (name: string): boolean => {
    const known = catalog.snapshot().servers.get(name);
    return known !== undefined && known.definition.isFixed !== true;
  };
  const isStale = ({ record }: CatalogServer): boolean =>
    record !== undefined && (record.listedAt > now() || record.listedAt + ttlMs <= now());
  const refreshed = async (name: string, options?: LookupOptions): Promise<CatalogServer | undefined> => {
    const known = catalog.snapshot().servers.get(name);
    if (known === undefined || !isStale(known)) return await server(name, options);
    const waitMs = Math.min(options?.waitMs ?? STALE_WAIT_MS, STALE_WAIT_MS);
    return await listNow(name, { ...options, waitMs }).catch(() => known);
  };

  return {
    server,
    list: (name, options) => (isCacheEnabled || !isListable(name) ? refreshed(name, options) : listNow(name, options)),
    refreshed,
    async rechecked(name) {
      await catalog.recheck(name);
      return catalog.snapshot().servers.get(name);
    },
    counts: () => ({ hits, misses }),
  };
}

/**
 * Whether the tool list must be requested before the server is used: tools from signed files are valid only if the
 * server confirms them.
 */
function mustList({ record, tools, definition: { files, isFixed } }: CatalogServer): boolean {
  return record === undefined && isFixed !== true && (tools.length === 0 || files !== undefined);
}

interface ServerStart {
  readonly name: string;
  readonly progress: () => string;
}

/** The progress to report for a server that is not pending: its tool list was known and is being requested again. */
const STARTING = { phase: "starting", forMs: 0 } as const;

/**
 * Resolves when `work`, the request for the server's tool list, has ended. Rejects with UPSTREAM_STARTING after
 * `waitMs`; the request then continues, so that a later lookup can use its result.
 */
async function within(
  { waitMs = DEFAULT_WAIT_MS, signal }: LookupOptions,
  work: Promise<void>,
  { name, progress }: ServerStart,
): Promise<void> {
  let settle: () => void = () => undefined;
  const timeout = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(cancelled(name));
    const timer = setTimeout(() => reject(starting(name, progress())), waitMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    settle();
    work.catch(() => undefined);
  }
}

function starting(server: string, progress: string): DiscoveryError {
  const seconds = RETRY_AFTER_SECONDS;
  return new DiscoveryError("UPSTREAM_STARTING", `${progress} Its tools are not known yet.`, {
    server,
    hint: { action: "retry", afterSeconds: seconds },
    facts: { retry_after_seconds: seconds },
  });
}

function cancelled(server: string): DiscoveryError {
  return new DiscoveryError(
    "CANCELLED",
    `The call was cancelled while the gateway waited for the tool list of ${server}.`,
    {
      server,
    },
  );
}
