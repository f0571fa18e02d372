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
  /** Whether a start would fail at once, for example because a variable is not set. Such a server takes no slot. */
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
  /** The same with the progress of each. */
  starts(): readonly PendingServer[];
  /** Resolves when no server is pending, or after `ms`. */
  whenKnown(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when no pending server makes progress, or after `ms`: servers that hang are not waited for. */
  whenSettled(ms: number, wanted?: Wanted): Promise<void>;
  /** The caller stops waiting for servers that hang. If they have not answered when the process ends, they count as failed. */
  giveUp(): void;
  /** Starts no further list requests, because another refresh takes over. */
  stop(): void;
  /** The same at the end of the process: stores the results. A start in progress is not recorded as a failure. */
  close(): Promise<void>;
}

export interface Wanted {
  readonly server?: string | undefined;
  readonly signal?: AbortSignal;
  /** Ends the wait early; called whenever a server has answered or failed. */
  readonly isEnough?: () => boolean;
}

const FIRST_TIME_CONCURRENCY = 4;
const PATIENCE_MS = 2000;
/** While the machine is idle, other servers wait no longer than this for a server that is listed for the first time. */
const IDLE_PATIENCE_MS = 500;
const SHORTEST_PATIENCE_MS = 50;
/** Installations that keep the processors busy would only slow each other down, so the next one waits this long. */
const INSTALL_PATIENCE_MS = 30_000;
const IDLE_SHARE = 0.3;
/** The maximum number of slow servers at a time: each is a process and may be downloading a package. */
const SLOW_AT_ONCE = 24;
const SHORTEST_SLEEP_MS = 1000;
/** Even with a shorter TTL, the background refresh does not list a server more often than this. */
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
    cannotStart = () => false,
    needsInstallation = () => false,
    isInstalling,
  } = parts;
  const running = new Map<string, Promise<void>>();
  const askedAt = new Map<string, number>();
  /** For each server that did not answer: how long a caller waited, in milliseconds. */
  const givenUp = new Map<string, number>();
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
    pending().map((server) => activity.look(server, running.has(server) ? askedAt.get(server) : undefined));

  /** Writes in progress; they are awaited before the store is closed, otherwise they would be lost. */
  const stored = async (work: Promise<void>): Promise<void> => {
    storing.add(work);
    await work.finally(() => storing.delete(work));
  };

  const noteFailure = async (server: string, error: DiscoveryError, isRequested: boolean): Promise<void> => {
    // The server was not contacted because it has just failed: the previous failure stays.
    if ("retryAfterMs" in error.facts && serverOf(server)?.failure !== undefined) return;
    // A server that a caller requested gets an early second attempt.
    const count = isRequested ? 1 : (serverOf(server)?.retry?.count ?? 0) + 1;
    log(`No tools from ${server}: ${error.message}`);
    await stored(catalog.fail(server, error, count));
  };

  const ask = async (server: string, isRequested: boolean): Promise<void> => {
    askedAt.set(server, elapsed());
    givenUp.delete(server);
    activity.forget(server);
    try {
      const listing = await list(server);
      // The store may be closed already; a write would open it again.
      if (ended) return;
      await stored(catalog.learn(server, listing));
    } catch (error) {
      if (!closed) await noteFailure(server, toDiscoveryError(error), isRequested);
      throw error;
    }
  };

  const begin = (server: string, isRequested: boolean): Promise<void> => {
    if (isFixed(server)) return Promise.resolve();
    const already = running.get(server);
    if (already !== undefined) return already;
    queue = queue.filter((name) => name !== server);
    const run = ask(server, isRequested).finally(() => {
      running.delete(server);
      waits.look();
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
    const isOdd = record === undefined || record.listedAt > now();
    const staleInMs = isOdd ? 0 : record.listedAt + ttlMs - now();
    const again = (askedAt.get(server) ?? -Infinity) + SHORTEST_INTERVAL_MS - elapsed();
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
      const isFirst = isUnknown(server);
      void takeTurn(server, isFirst);
    }
    if (queue.length === 0 && working === 0) sleepUntilDue();
  };

  /**
   * A slow server gives its slot to the next before it is done, so that a few servers that hang do not block all others. A
   * server that is inactive, or that hangs while processors are idle, is waited for less, the more of them there are. A
   * server that starts keeps the processors busy. An installation keeps its slot for longer, as long as it is active and
   * processors are busy: many at a time would all take long, and no server would be usable early.
   */
  const takeTurn = async (server: string, isFirst: boolean): Promise<void> => {
    const run = begin(server, false);
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
      if (activity.isActive(server) === false || isIdle) giveAway();
    };
    const askedMs = elapsed();
    let before = began;
    const lookPatiently = (): void => {
      const [from, to] = [before, processorTime()];
      before = to;
      const isBusy = activity.isActive(server) !== false && idleShare(from, to) < IDLE_SHARE;
      if (!(isInstalling(server) && isBusy && elapsed() - askedMs < INSTALL_PATIENCE_MS)) giveAway();
    };
    const idleMs = Math.max(SHORTEST_PATIENCE_MS, IDLE_PATIENCE_MS / (1 + slow));
    const timers = [setInterval(lookPatiently, patienceMs), ...(isFirst ? [setInterval(look, idleMs / 2)] : [])];
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
    const hopeless = names.filter((server) => isUnknown(server) && cannotStart(server));
    for (const server of hopeless) void begin(server, false).catch(() => undefined);
    const due = names.filter((server) => !hopeless.includes(server));
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
    const ms = Math.min(Math.max(Math.min(...names.map(dueInMs)), SHORTEST_SLEEP_MS), 2 ** 31 - 1);
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
        if (phase !== "queued" && !isProgressing) givenUp.set(name, forMs);
      }
    },
    stop,
    async close() {
      ended = true;
      const hung = closed ? [] : pending().filter((server) => givenUp.has(server));
      stop();
      await Promise.all(hung.map((name) => noteFailure(name, noAnswer(name, givenUp.get(name) ?? 0), false)));
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
