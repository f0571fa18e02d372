// Updates the catalog in the background: unknown servers a few at a time, stale ones one by one, failed ones after a delay.
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
  /** The time of day, for the age of a list. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** How long a server that does not answer delays the next one. */
  readonly patienceMs?: number;
  readonly processorTime?: () => ProcessorTime;
  /** Whether a start would fail at once, for example because a variable is not set. Such a server does not use a slot. */
  readonly cannotStart?: (server: string) => boolean;
  /** Whether the server's command has to install its package first. Such a server is listed after the others. */
  readonly needsInstallation?: (server: string) => boolean;
}

export interface Refresh {
  /** Starts to list unknown and stale servers in the background, except those that failed recently; returns at once. */
  start(): void;
  /** Whether there are servers to list that have never answered. */
  hasUnknown(): boolean;
  /** Lists one server now, even after failures; concurrent requests for the same server share the result. */
  refresh(server: string): Promise<void>;
  /** The server reported changed tools: a list request in progress may not include them yet. */
  changed(server: string): Promise<void>;
  /** Servers that have never answered and are being listed, or are queued. */
  pending(): readonly string[];
  /** Like `pending`, with the progress of each server. */
  starts(): readonly PendingServer[];
  /** Resolves when no server is pending, or after `ms`. */
  whenKnown(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when no pending server makes progress, or after `ms`: servers that hang are not waited for. */
  whenSettled(ms: number, options?: SettleOptions): Promise<void>;
  /** Marks the servers that hang, because the caller stops waiting for them. If they have not answered at `close`, they count as failed. */
  giveUp(): void;
  /** Starts no further list requests, because another refresh takes over. */
  stop(): void;
  /** Like `stop`, at the end of the process: also waits until results are stored. A start in progress is not recorded as a failure. */
  close(): Promise<void>;
}

export interface SettleOptions {
  readonly server?: string | undefined;
  readonly signal?: AbortSignal;
  /** Ends the wait early; called whenever a server has answered or failed. */
  readonly isEnough?: () => boolean;
}

const FIRST_TIME_CONCURRENCY = 4;
const PATIENCE_MS = 2000;
/** While the machine is idle, other servers wait no longer than this for a server that is listed for the first time. */
const IDLE_PATIENCE_MS = 500;
const MIN_PATIENCE_MS = 50;
/** Installations that keep the processors busy would only slow each other down, so the next one waits this long. */
const INSTALL_PATIENCE_MS = 30_000;
const IDLE_SHARE = 0.3;
/** The maximum number of slow servers at a time: each is a process and may be downloading a package. */
const MAX_SLOW_SERVERS = 24;
const MIN_SLEEP_MS = 1000;
/** Even with a shorter TTL, the background refresh does not list a server more often than this. */
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
  /** For each server that the caller stopped waiting for: how long it waited, in milliseconds. */
  const abandoned = new Map<string, number>();
  const storing = new Set<Promise<void>>();
  const activity = createStarts(parts);
  const waits = createWaits();
  let queue: string[] = [];
  let working = 0;
  let slow = 0;
  let timer: NodeJS.Timeout | undefined;
  /** No further server is listed in the background; results of requests in progress are still recorded. */
  let closed = false;
  let ended = false;

  const serverOf = (server: string) => catalog.snapshot().servers.get(server);
  const isFixed = (server: string): boolean => serverOf(server)?.definition.isFixed === true;
  const isUnknown = (server: string): boolean => serverOf(server)?.record === undefined && !isFixed(server);
  const pending = (): string[] => [...running.keys(), ...queue].filter(isUnknown);
  const starts = (): PendingServer[] =>
    pending().map((server) => activity.progressOf(server, running.has(server) ? requestedAt.get(server) : undefined));

  /** Writes in progress; they are awaited before the store is closed, otherwise they would be lost. */
  const stored = async (work: Promise<void>): Promise<void> => {
    storing.add(work);
    await work.finally(() => storing.delete(work));
  };

  const recordFailure = async (server: string, error: DiscoveryError, isRequested: boolean): Promise<void> => {
    // The server was not contacted because it has just failed: the previous failure stays.
    if ("retryAfterMs" in error.facts && serverOf(server)?.failure !== undefined) return;
    // A server that a caller requested gets an early second attempt.
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

  /** Milliseconds until the next list request; zero or less if it is due. */
  const dueInMs = (server: string): number => {
    if (isFixed(server)) return Infinity;
    const { record, retry } = serverOf(server) ?? {};
    // A time in the future comes from a wrong clock.
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
   * A slow server releases its slot before it has answered, so that a few servers that hang do not block all others. If its
   * process is inactive, or processors are idle, the slot is released earlier, and the earlier the more servers are slow: a
   * server that starts keeps the processors busy. An installation keeps its slot for longer while it is active and the
   * processors are busy: many installations at the same time would all take long, and no server would be usable early.
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
