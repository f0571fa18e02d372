// Keeps the catalog true in the background: first-time servers a few at a time, stale ones one by one, failed ones later again.
import { type DiscoveryError, toDiscoveryError } from "../errors.js";
import type { ServerListing } from "../model/server.js";
import { idleShare, type ProcessorTime, readProcessorTime } from "../util/processor-time.js";
import type { Catalog } from "./catalog.js";

export interface RefreshParts {
  readonly catalog: Catalog;
  readonly list: (server: string, signal?: AbortSignal) => Promise<ServerListing>;
  readonly ttlMs: number;
  /** The time of day, which the age of a list is told by. */
  readonly now: () => number;
  /** Milliseconds that only ever grow, for pauses. */
  readonly elapsed: () => number;
  readonly log: (message: string) => void;
  /** How long a server that does not answer keeps others waiting. */
  readonly patienceMs?: number;
  readonly processorTime?: () => ProcessorTime;
  /** Whether the server does anything while it does not answer, since this was last asked; undefined where nobody can tell. */
  readonly isStirring: (server: string) => boolean | undefined;
}

export interface Refresh {
  /** Begins to ask unknown and stale servers in the background; returns at once. */
  start(): void;
  /** Asks one server now; concurrent requests for the same server share the answer. */
  refresh(server: string): Promise<void>;
  /** The server says that its tools have changed: an answer that is already under way may not show it yet. */
  changed(server: string): Promise<void>;
  /** Servers that have never answered and are being asked, or wait to be. */
  pending(): readonly string[];
  /** Resolves when nothing is pending, or after `ms`. */
  whenKnown(ms: number): Promise<void>;
  close(): void;
}

const FIRST_TIME_CONCURRENCY = 4;
const PATIENCE_MS = 2000;
/** While the machine has nothing to do, a server that is asked for the first time keeps nobody waiting longer than this. */
const IDLE_PATIENCE_MS = 500;
const SHORTEST_PATIENCE_MS = 50;
const IDLE_SHARE = 0.3;
/** Beyond these the others wait after all: each is a process, and may be one that downloads. */
const SLOW_AT_ONCE = 24;
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 600_000;
const SHORTEST_SLEEP_MS = 1000;
/** However short the TTL, a running gateway does not ask the same server more often than this by itself. */
const SHORTEST_INTERVAL_MS = 60_000;

export function createRefresh(parts: RefreshParts): Refresh {
  const {
    catalog,
    list,
    ttlMs,
    now,
    elapsed,
    log,
    patienceMs = PATIENCE_MS,
    processorTime = readProcessorTime,
    isStirring,
  } = parts;
  const running = new Map<string, Promise<void>>();
  const askedAt = new Map<string, number>();
  const failures = new Map<string, { count: number; retryAt: number }>();
  const waiters = new Set<() => void>();
  let queue: string[] = [];
  let working = 0;
  let slow = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const isFixed = (server: string): boolean => catalog.snapshot().servers.get(server)?.definition.isFixed === true;
  const isUnknown = (server: string): boolean =>
    catalog.snapshot().servers.get(server)?.record === undefined && !isFixed(server);
  const pending = (): string[] => [...running.keys(), ...queue].filter(isUnknown);

  const settle = (): void => {
    if (pending().length > 0) return;
    for (const wake of waiters) wake();
    waiters.clear();
  };

  const noteFailure = (server: string, error: DiscoveryError): void => {
    const count = (failures.get(server)?.count ?? 0) + 1;
    failures.set(server, { count, retryAt: elapsed() + Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LONGEST_RETRY_MS) });
    catalog.fail(server, error);
    log(`No tools from ${server}: ${error.message}`);
  };

  const ask = async (server: string): Promise<void> => {
    askedAt.set(server, elapsed());
    try {
      await catalog.learn(server, await list(server));
      failures.delete(server);
    } catch (error) {
      if (!closed) noteFailure(server, toDiscoveryError(error));
      throw error;
    }
  };

  const refresh = (server: string): Promise<void> => {
    if (isFixed(server)) return Promise.resolve();
    const already = running.get(server);
    if (already !== undefined) return already;
    queue = queue.filter((name) => name !== server);
    const run = ask(server).finally(() => {
      running.delete(server);
      settle();
    });
    running.set(server, run);
    return run;
  };

  /** Milliseconds until the server is to be asked again; not more than zero when it is due. */
  const dueInMs = (server: string): number => {
    if (isFixed(server)) return Infinity;
    const record = catalog.snapshot().servers.get(server)?.record;
    // A time in the future is of a clock that was wrong.
    const isOdd = record === undefined || record.listedAt > now();
    const staleInMs = isOdd ? 0 : record.listedAt + ttlMs - now();
    const again = (askedAt.get(server) ?? -Infinity) + SHORTEST_INTERVAL_MS;
    return Math.max(staleInMs, (failures.get(server)?.retryAt ?? again) - elapsed());
  };

  const work = (): void => {
    if (closed) return;
    while (queue.length > 0 && working < (isUnknown(queue[0] ?? "") ? FIRST_TIME_CONCURRENCY : 1)) {
      const server = queue.shift();
      if (server === undefined) break;
      working += 1;
      const isFirst = isUnknown(server);
      void takeTurn(server, isFirst);
    }
    if (queue.length === 0 && working === 0) sleepUntilDue();
  };

  /**
   * Whoever is slow gives its place to the next before it is done: a few that hang must not hide all others. Whoever
   * does nothing, or hangs while processors idle, is waited for the less the more of them there are; who starts keeps
   * them busy.
   */
  const takeTurn = async (server: string, isFirst: boolean): Promise<void> => {
    const run = refresh(server);
    let isSlow = false;
    const giveAway = (): void => {
      if (isSlow || slow === SLOW_AT_ONCE) return;
      isSlow = true;
      slow += 1;
      working -= 1;
      work();
    };
    const began = processorTime();
    let looks = 0;
    const look = (): void => {
      looks += 1;
      const isIdle = looks === 2 && idleShare(began, processorTime()) >= IDLE_SHARE;
      if (isStirring(server) === false || isIdle) giveAway();
    };
    const idleMs = Math.max(SHORTEST_PATIENCE_MS, IDLE_PATIENCE_MS / (1 + slow));
    const timers = [setTimeout(giveAway, patienceMs), ...(isFirst ? [setInterval(look, idleMs / 2)] : [])];
    for (const timer of timers) timer.unref();
    await run.catch(() => undefined);
    timers.forEach(clearTimeout);
    if (isSlow) slow -= 1;
    else working -= 1;
    work();
  };

  const enqueueDue = (): void => {
    const names = [...catalog.snapshot().servers.keys()].filter(
      (server) => dueInMs(server) <= 0 && !running.has(server) && !queue.includes(server),
    );
    queue.push(...names.filter(isUnknown), ...names.filter((server) => !isUnknown(server)));
    work();
  };

  const sleepUntilDue = (): void => {
    clearTimeout(timer);
    const names = [...catalog.snapshot().servers.keys()];
    if (closed || names.length === 0) return;
    const ms = Math.min(Math.max(Math.min(...names.map(dueInMs)), SHORTEST_SLEEP_MS), 2 ** 31 - 1);
    timer = setTimeout(enqueueDue, ms).unref();
  };

  return {
    start: enqueueDue,
    refresh,
    async changed(server) {
      await running.get(server)?.catch(() => undefined);
      if (!closed) await refresh(server);
    },
    pending,
    whenKnown(ms) {
      if (pending().length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const giveUp = setTimeout(() => {
          waiters.delete(wake);
          resolve();
        }, ms);
        const wake = (): void => {
          clearTimeout(giveUp);
          resolve();
        };
        waiters.add(wake);
      });
    },
    close() {
      closed = true;
      clearTimeout(timer);
      queue = [];
      for (const wake of waiters) wake();
      waiters.clear();
    },
  };
}
