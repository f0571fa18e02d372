// Requests tool lists in the background: from servers with unknown tools a few at a time, from servers with stale lists
// one by one, from failed servers after a delay.
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import type { ServerListing } from "../model/server.js";
import { idleShare, type ProcessorTime, readProcessorTime } from "../util/processor-time.js";
import type { Catalog } from "./catalog.js";
import { createStarts, type PendingServer, type ServerStartsParts } from "./starts.js";
import { createWaits } from "./waits.js";

export interface RefreshParts extends ServerStartsParts {
  readonly catalog: Catalog;
  readonly list: (server: string, signal?: AbortSignal) => Promise<ServerListing>;
  readonly ttlMs: number;
  /** Returns the wall-clock time, which determines the age of a tool list. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** How long a server that does not answer delays the request to the next server in the queue, in milliseconds. */
  readonly patienceMs?: number;
  readonly processorTime?: () => ProcessorTime;
  /**
   * Whether starting the server would fail at once, for example because a variable is not set. The request to such a
   * server does not count towards the concurrency limit.
   */
  readonly cannotStart?: (server: string) => boolean;
  /** Whether the server's command has to install its package first. Such a server is listed after other unknown servers. */
  readonly needsInstallation?: (server: string) => boolean;
}

export interface Refresh {
  /**
   * Starts to request unknown and stale tool lists in the background, except from servers that failed recently; returns
   * at once.
   */
  start(): void;
  /** Whether there is a server that has never answered and whose tool list is being requested, queued or due. */
  hasUnknown(): boolean;
  /**
   * Requests the tool list of one server now, even after failures. Concurrent calls for the same server share one
   * request.
   */
  refresh(server: string): Promise<void>;
  /**
   * Call this when the server reports changed tools. Waits for a list request in progress, because that one may not
   * include the change, and then sends a new one.
   */
  changed(server: string): Promise<void>;
  /** Names of servers that have never answered and whose tool list is being requested or queued. */
  pending(): readonly string[];
  /** Like `pending`, with the progress of each server. */
  starts(): readonly PendingServer[];
  /** Resolves when no server is pending, or after `ms`. */
  whenKnown(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when no pending server makes progress, or after `ms`. It does not wait for servers that hang. */
  whenSettled(ms: number, options?: SettleOptions): Promise<void>;
  /**
   * Marks the servers that hang, because the caller stops waiting for them. If they still have not answered when
   * `close` is called, they are recorded as failed.
   */
  giveUp(): void;
  /** Sends no further list requests, because another `Refresh` takes over. */
  stop(): void;
  /**
   * Like `stop`, for the end of the process: also waits until results are stored. A server that is still starting is
   * not recorded as failed.
   */
  close(): Promise<void>;
}

export interface SettleOptions {
  readonly server?: string | undefined;
  readonly signal?: AbortSignal;
  /** Called whenever a server has answered or failed. If it returns true, the wait ends early. */
  readonly isEnough?: () => boolean;
}

const FIRST_TIME_CONCURRENCY = 4;
const PATIENCE_MS = 2000;
/** How long the next server in the queue waits at most for a server's first answer while the processors are idle. */
const IDLE_PATIENCE_MS = 500;
const MIN_PATIENCE_MS = 50;
/**
 * How long the next server in the queue waits for an installation that keeps the processors busy: concurrent
 * installations would slow each other down.
 */
const INSTALL_PATIENCE_MS = 30_000;
const IDLE_SHARE = 0.3;
/**
 * How many servers may be starting at the same time outside the concurrency slots because they are slow to answer. The
 * number is limited, because each server is a process and may be downloading a package.
 */
const MAX_SLOW_SERVERS = 24;
const MIN_SLEEP_MS = 1000;
/** The shortest interval between two background requests to a server, even if the TTL is shorter. */
const MIN_INTERVAL_MS = 60_000;

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
    cannotStart = () => false,
    needsInstallation = () => false,
    isInstalling,
  } = parts;
  const running = new Map<string, Promise<void>>();
  const requestedAt = new Map<string, number>();
  /**
   * Servers that the caller stopped waiting for, each with the milliseconds that had passed since its tool list was
   * requested.
   */
  const abandoned = new Map<string, number>();
  const storing = new Set<Promise<void>>();
  const activity = createStarts(parts);
  const waits = createWaits();
  let queue: string[] = [];
  let working = 0;
  let slow = 0;
  let timer: NodeJS.Timeout | undefined;
  /**
   * If true, no further list requests are sent in the background; results of requests in progress are still recorded.
   */
  let closed = false;
  let ended = false;

  const serverOf = (server: string) => catalog.snapshot().servers.get(server);
  const isFixed = (server: string): boolean => serverOf(server)?.definition.isFixed === true;
  const isUnknown = (server: string): boolean => serverOf(server)?.record === undefined && !isFixed(server);
  const pending = (): string[] => [...running.keys(), ...queue].filter(isUnknown);
  const starts = (): PendingServer[] =>
    pending().map((server) => activity.progressOf(server, running.has(server) ? requestedAt.get(server) : undefined));

  /**
   * Registers a write in progress. `close` waits for these writes, because they would be lost when the store is closed.
   */
  const stored = async (work: Promise<void>): Promise<void> => {
    storing.add(work);
    await work.finally(() => storing.delete(work));
  };

  const recordFailure = async (server: string, error: DiscoveryError, isRequested: boolean): Promise<void> => {
    // If the request was not sent because the server failed a short time ago, keep the previous failure.
    if ("retryAfterMs" in error.facts && serverOf(server)?.failure !== undefined) return;
    // If a caller requested the tool list, the failure counts as the first one, so that the next automatic attempt
    // comes soon.
    const count = isRequested ? 1 : (serverOf(server)?.retry?.count ?? 0) + 1;
    log(`No tools from ${server}: ${error.message}`);
    await stored(catalog.fail(server, error, count));
  };

  const listServer = async (server: string, isRequested: boolean): Promise<void> => {
    requestedAt.set(server, elapsed());
    abandoned.delete(server);
    activity.forget(server);
    try {
      const listing = await list(server);
      // The store may be closed already; a write would open it again.
      if (ended) return;
      await stored(catalog.learn(server, listing));
    } catch (error) {
      if (!closed) await recordFailure(server, toDiscoveryError(error), isRequested);
      throw error;
    }
  };

  const begin = (server: string, isRequested: boolean): Promise<void> => {
    if (isFixed(server)) return Promise.resolve();
    const already = running.get(server);
    if (already !== undefined) return already;
    queue = queue.filter((name) => name !== server);
    const run = listServer(server, isRequested).finally(() => {
      running.delete(server);
      waits.check();
    });
    running.set(server, run);
    return run;
  };
  const refresh = (server: string): Promise<void> => begin(server, true);

  /** Milliseconds until the next background list request; zero or less if it is due. */
  const dueInMs = (server: string): number => {
    if (isFixed(server)) return Infinity;
    const { record, retry } = serverOf(server) ?? {};
    // A time in the future comes from a wrong clock: such a record counts as stale.
    const isInvalid = record === undefined || record.listedAt > now();
    const staleInMs = isInvalid ? 0 : record.listedAt + ttlMs - now();
    const again = (requestedAt.get(server) ?? -Infinity) + MIN_INTERVAL_MS - elapsed();
    if (retry === undefined) return Math.max(staleInMs, again);
    return Math.max(staleInMs, retry.failedAt > now() ? 0 : retry.at - now());
  };
  const isDue = (server: string): boolean => dueInMs(server) <= 0;

  const work = (): void => {
    if (closed) return;
    while (queue.length > 0 && working < (isUnknown(queue[0] ?? "") ? FIRST_TIME_CONCURRENCY : 1)) {
      const server = queue.shift();
      if (server === undefined) break;
      working += 1;
      const isFirstListing = isUnknown(server);
      void runInSlot(server, isFirstListing);
    }
    if (queue.length === 0 && working === 0) sleepUntilDue();
  };

  /**
   * Requests a tool list in one of the concurrency slots. A slow server releases its slot before it has answered, so
   * that a few servers that hang do not block all others. The slot is released earlier if the server's process is
   * inactive or processors are idle, because a server that is really starting keeps the processors busy; it is released
   * even earlier if many servers are slow. An installation keeps its slot for longer while its process is active and
   * the processors are busy: many installations at the same time would all take long, and no server would be usable
   * early.
   */
  const runInSlot = async (server: string, isFirstListing: boolean): Promise<void> => {
    const run = begin(server, false);
    let isSlow = false;
    const releaseSlot = (): void => {
      if (isSlow || slow === MAX_SLOW_SERVERS) return;
      isSlow = true;
      slow += 1;
      working -= 1;
      work();
    };
    const timeAtStart = processorTime();
    let checks = 0;
    const checkActivity = (): void => {
      checks += 1;
      const isIdle = checks === 2 && idleShare(timeAtStart, processorTime()) >= IDLE_SHARE;
      if (activity.isActive(server) === false || isIdle) releaseSlot();
    };
    const startedAt = elapsed();
    let previousTime = timeAtStart;
    const checkPatience = (): void => {
      const [from, to] = [previousTime, processorTime()];
      previousTime = to;
      const isBusy = activity.isActive(server) !== false && idleShare(from, to) < IDLE_SHARE;
      if (!(isInstalling(server) && isBusy && elapsed() - startedAt < INSTALL_PATIENCE_MS)) releaseSlot();
    };
    const idleMs = Math.max(MIN_PATIENCE_MS, IDLE_PATIENCE_MS / (1 + slow));
    const timers = [
      setInterval(checkPatience, patienceMs),
      ...(isFirstListing ? [setInterval(checkActivity, idleMs / 2)] : []),
    ];
    for (const timer of timers) timer.unref();
    await run.catch(() => undefined);
    timers.forEach(clearInterval);
    if (isSlow) slow -= 1;
    else working -= 1;
    work();
  };

  const enqueueDue = (): void => {
    const names = [...catalog.snapshot().servers.keys()].filter(
      (server) => isDue(server) && !running.has(server) && !queue.includes(server),
    );
    const unstartable = names.filter((server) => isUnknown(server) && cannotStart(server));
    for (const server of unstartable) void begin(server, false).catch(() => undefined);
    const due = names.filter((server) => !unstartable.includes(server));
    const unknown = due.filter(isUnknown);
    const uninstalled = new Set(unknown.filter(needsInstallation));
    const installed = unknown.filter((server) => !uninstalled.has(server));
    queue.push(...installed, ...uninstalled, ...due.filter((server) => !isUnknown(server)));
    work();
  };

  const sleepUntilDue = (): void => {
    clearTimeout(timer);
    const names = [...catalog.snapshot().servers.keys()];
    if (closed || names.length === 0) return;
    const ms = Math.min(Math.max(Math.min(...names.map(dueInMs)), MIN_SLEEP_MS), 2 ** 31 - 1);
    timer = setTimeout(enqueueDue, ms).unref();
  };

  const stop = (): void => {
    closed = true;
    clearTimeout(timer);
    queue = [];
    waits.end();
  };

  return {
    start: enqueueDue,
    hasUnknown: () =>
      pending().length > 0 || [...catalog.snapshot().servers.keys()].some((name) => isUnknown(name) && isDue(name)),
    refresh,
    async changed(server) {
      await running.get(server)?.catch(() => undefined);
      if (!closed) await begin(server, false);
    },
    pending,
    starts,
    whenKnown: (ms, signal) => waits.until(() => pending().length === 0, ms, signal),
    whenSettled(ms, { server, signal, isEnough = () => false } = {}) {
      const isWanted = ({ name }: PendingServer): boolean => server === undefined || server === name;
      const isOver = (): boolean => isEnough() || !starts().some((one) => one.isProgressing && isWanted(one));
      return waits.until(isOver, ms, signal);
    },
    giveUp() {
      for (const { name, phase, isProgressing, forMs } of starts()) {
        if (phase !== "queued" && !isProgressing) abandoned.set(name, forMs);
      }
    },
    stop,
    async close() {
      ended = true;
      const hung = closed ? [] : pending().filter((server) => abandoned.has(server));
      stop();
      await Promise.all(hung.map((name) => recordFailure(name, noAnswer(name, abandoned.get(name) ?? 0), false)));
      await Promise.all([...storing].map((work) => work.catch(() => undefined)));
    },
  };
}

function noAnswer(server: string, forMs: number): DiscoveryError {
  return new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    `${server} did not answer within ${Math.floor(forMs / 1000)} s.`,
    {
      hint: {
        action: "run-command",
        command: `anygpt mcp doctor ${server}`,
        purpose: "wait longer and see what the server writes to standard error",
      },
      server,
    },
  );
}
