// Keeps the catalog true in the background: first-time servers a few at a time, stale ones one by one, failed ones later again.
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import type { ServerListing } from "../model/server.js";
import { idleShare, type ProcessorTime, readProcessorTime } from "../util/processor-time.js";
import type { Catalog } from "./catalog.js";
import { createStarts, type PendingServer, type StartParts } from "./starts.js";
import { createWaits } from "./waits.js";

export interface RefreshParts extends StartParts {
  readonly catalog: Catalog;
  readonly list: (server: string, signal?: AbortSignal) => Promise<ServerListing>;
  readonly ttlMs: number;
  /** The time of day, which the age of a list is told by. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** How long a server that does not answer keeps others waiting. */
  readonly patienceMs?: number;
  readonly processorTime?: () => ProcessorTime;
}

export interface Refresh {
  /** Begins to ask unknown and stale servers in the background, but those that failed a moment ago; returns at once. */
  start(): void;
  /** Whether `start` has, or would have, servers to ask that have never answered. */
  hasUnknown(): boolean;
  /** Asks one server now, however often it failed; concurrent requests for the same server share the answer. */
  refresh(server: string): Promise<void>;
  /** The server says that its tools have changed: an answer that is already under way may not show it yet. */
  changed(server: string): Promise<void>;
  /** Servers that have never answered and are being asked, or wait to be. */
  pending(): readonly string[];
  /** The same with how far each of them is. */
  starts(): readonly PendingServer[];
  /** Resolves when nothing is pending, or after `ms`. */
  whenKnown(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when no pending server makes progress any more, or after `ms`: servers that hang are not waited for. */
  whenSettled(
    ms: number,
    wanted?: { readonly server?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<void>;
  /** Begins nothing any more, because another refresh takes over. */
  stop(): void;
  /** The same when the process ends: stores what was learnt. A server that hung until now counts as failed. */
  close(): Promise<void>;
}

const FIRST_TIME_CONCURRENCY = 4;
const PATIENCE_MS = 2000;
/** While the machine has nothing to do, a server that is asked for the first time keeps nobody waiting longer than this. */
const IDLE_PATIENCE_MS = 500;
const SHORTEST_PATIENCE_MS = 50;
const IDLE_SHARE = 0.3;
/** Beyond these the others wait after all: each is a process, and may be one that downloads. */
const SLOW_AT_ONCE = 24;
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
  } = parts;
  const running = new Map<string, Promise<void>>();
  const askedAt = new Map<string, number>();
  const storing = new Set<Promise<void>>();
  const activity = createStarts(parts);
  const waits = createWaits();
  let queue: string[] = [];
  let working = 0;
  let slow = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Asks nobody any more by itself; what it has asked is still learned. */
  let closed = false;
  let ended = false;

  const serverOf = (server: string) => catalog.snapshot().servers.get(server);
  const isFixed = (server: string): boolean => serverOf(server)?.definition.isFixed === true;
  const isUnknown = (server: string): boolean => serverOf(server)?.record === undefined && !isFixed(server);
  const pending = (): string[] => [...running.keys(), ...queue].filter(isUnknown);
  const starts = (): PendingServer[] =>
    pending().map((server) => activity.look(server, running.has(server) ? askedAt.get(server) : undefined));

  /** Awaited before the store is closed, which would lose it otherwise. */
  const stored = async (work: Promise<void>): Promise<void> => {
    storing.add(work);
    await work.finally(() => storing.delete(work));
  };

  const noteFailure = async (server: string, error: DiscoveryError, isRequested: boolean): Promise<void> => {
    // It was not asked, because it has just failed: that failure stands.
    if ("retryAfterMs" in error.facts && serverOf(server)?.failure !== undefined) return;
    // A server that somebody wants is worth an early second attempt.
    const count = isRequested ? 1 : (serverOf(server)?.retry?.count ?? 0) + 1;
    log(`No tools from ${server}: ${error.message}`);
    await stored(catalog.fail(server, error, count));
  };

  const ask = async (server: string, isRequested: boolean): Promise<void> => {
    askedAt.set(server, elapsed());
    activity.forget(server);
    try {
      const listing = await list(server);
      // The store may be closed by now, and a write would open it again.
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

  /** Milliseconds until the server is to be asked again; not more than zero when it is due. */
  const dueInMs = (server: string): number => {
    if (isFixed(server)) return Infinity;
    const { record, retry } = serverOf(server) ?? {};
    // A time in the future is of a clock that was wrong.
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
   * Whoever is slow gives its place to the next before it is done: a few that hang must not hide all others. Whoever
   * does nothing, or hangs while processors idle, is waited for the less the more of them there are; who starts keeps
   * them busy.
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
      (server) => isDue(server) && !running.has(server) && !queue.includes(server),
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
    whenSettled(ms, { server, signal } = {}) {
      const isWanted = ({ name }: PendingServer): boolean => server === undefined || server === name;
      return waits.until(() => !starts().some((one) => one.isProgressing && isWanted(one)), ms, signal);
    },
    stop,
    async close() {
      ended = true;
      const hung = closed ? [] : starts().filter(({ phase, isProgressing }) => phase === "starting" && !isProgressing);
      stop();
      await Promise.all(hung.map(({ name, forMs }) => noteFailure(name, noAnswer(name, forMs), false)));
      await Promise.all([...storing].map((work) => work.catch(() => undefined)));
    },
  };
}

function noAnswer(server: string, forMs: number): DiscoveryError {
  return new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    `${server} did not answer within ${Math.floor(forMs / 1000)} s and was doing nothing.`,
    {
      hint: `Run \`anygpt mcp doctor ${server}\`: it waits longer and shows what the server writes to standard error.`,
      server,
    },
  );
}
