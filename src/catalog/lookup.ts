import { DiscoveryError } from "../errors.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Catalog } from "./catalog.js";
import type { Refresh } from "./refresh.js";
import type { CatalogServer } from "./snapshot.js";
import { describeProgress } from "./starts.js";

export interface LookupParts {
  readonly catalog: Catalog;
  readonly refresh: Refresh;
  /** `cache.enabled` of the configuration. If false, each request for a server's tool list lists the server again. */
  readonly isCacheEnabled: boolean;
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
  server(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /** Like `server`, for callers that need the complete list: lists the server again if the list is stale or the cache is disabled. */
  list(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /** Lists a server again if its list is older than the TTL; keeps the known list if that fails. */
  refreshed(name: string, options?: LookupOptions): Promise<CatalogServer | undefined>;
  /** The server after its quarantined tools were checked again: a user may have approved them in the meantime. */
  rechecked(name: string): Promise<CatalogServer | undefined>;
  counts(): LookupCounts;
}

const DEFAULT_WAIT_MS = 10_000;
/** A stale list is refreshed for at most this long before it is used. */
const STALE_WAIT_MS = 3000;

export function createCatalogLookup({ catalog, refresh, isCacheEnabled, ttlMs, now }: LookupParts): CatalogLookup {
  let hits = 0;
  let misses = 0;

  const listNow = async (name: string, options: LookupOptions = {}): Promise<CatalogServer | undefined> => {
    misses += 1;
    const phase = (): string => describeProgress(refresh.starts().find((one) => one.name === name) ?? STARTING);
    await within(options, refresh.refresh(name), { name, phase });
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

/** Whether the server must be listed before use: tools from signed files are valid only if the server confirms them. */
function mustList({ record, tools, definition: { files, isFixed } }: CatalogServer): boolean {
  return record === undefined && isFixed !== true && (tools.length === 0 || files !== undefined);
}

interface ServerStart {
  readonly name: string;
  readonly phase: () => string;
}

/** The status of a known server that is listed again. */
const STARTING = { phase: "starting", forMs: 0 } as const;

/** Rejects after `waitMs`. The start continues, so that the next request can use it. */
async function within(
  { waitMs = DEFAULT_WAIT_MS, signal }: LookupOptions,
  work: Promise<void>,
  { name, phase }: ServerStart,
): Promise<void> {
  let settle: () => void = () => undefined;
  const timeout = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(cancelled(name));
    const timer = setTimeout(() => reject(starting(name, phase())), waitMs);
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
