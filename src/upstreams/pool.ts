// The pool of connections to all servers. It manages connections, time limits and failures. Its callers have already
// checked the catalog, the tool rules and the policy.
import { DiscoveryError } from "../errors.js";
import { builtFile } from "../util/built-file.js";
import { commandToStart, createInstallations } from "./install/installations.js";
import { childEnvironment } from "./process/child-environment.js";
import { createMessageMonitor, type MessageMonitor, sumFaults } from "./message-monitor.js";
import { createReaper } from "./process/reap-client.js";
import { scheduleUnref } from "./schedule.js";
import type { Peers, Upstreams, UpstreamsParts, UpstreamState, UpstreamTarget, Watching } from "./types.js";
import { Upstream } from "./upstream.js";
import { createWatches, type Watches } from "./watches.js";

const CLOSE_MS = 5_000;

/** A per-actor connection that has been unused for this long is removed, with its breaker and its cached lists. */
const FORGET_MS = 600_000;
/** Above this number of pool entries, closed per-actor connections are removed immediately. */
const MAX_ENTRIES = 1_000;
/** A failed connection is kept at least this long, so that its breaker keeps its count. */
const FAILED_MS = 60_000;

/**
 * A pool entry: the connection to one server or, for a server with per-actor connections, one actor's connection to it.
 */
interface PoolEntry {
  readonly server: string;
  readonly upstream: Upstream;
  readonly monitor: MessageMonitor;
  usedAt: number;
}

export function createUpstreams(parts: UpstreamsParts): Upstreams {
  const entries = new Map<string, PoolEntry>();
  /** Replaced connections that accept no new calls but still have running ones. */
  const retired = new Set<Upstream>();
  /**
   * The current options. All connections read from this object, so that a configuration change takes effect on all of
   * them.
   */
  const options = { ...parts.options };
  const reaper = createReaper({
    program: builtFile("reaper.js"),
    env: childEnvironment(parts.env, {}),
    log: parts.log,
  });
  const installations = createInstallations(parts.installsFolder);
  /** The resource watches by pool key. They survive the replacement of a server's connection. */
  const watched = new Map<string, Watches>();
  /** The number of announced calls (`expectCall`) by server. */
  const expected = new Map<string, number>();
  const offerListeners = new Set<Parameters<Upstreams["onOffersChanged"]>[0]>();
  let peers: Peers = "none";
  let closing: Promise<void> | undefined;
  let forgetting: (() => void) | undefined;

  function watchesOf(key: string): Watches {
    const watches = watched.get(key) ?? createWatches();
    watched.set(key, watches);
    return watches;
  }

  function upstream(target: UpstreamTarget): Upstream {
    const { name: server } = target;
    if (closing !== undefined) throw shuttingDown(server);
    const key = keyOf(target);
    const known = entries.get(key);
    if (known !== undefined) {
      known.usedAt = parts.now();
      return known.upstream;
    }
    if (entries.size >= MAX_ENTRIES) forgetClosed(0);
    if (key !== server) forgetLater();
    const monitor = createMessageMonitor({ server, elapsed: () => performance.now(), log: parts.log });
    const added = new Upstream({
      ...parts,
      options,
      server,
      reaper,
      installations,
      schedule: scheduleUnref,
      monitor,
      peers: () => peers,
      watches: watchesOf(key),
      isExpected: () => expected.has(server),
      onOffersChanged(kind) {
        for (const listener of offerListeners) listener(server, kind);
      },
    });
    entries.set(key, { server, upstream: added, monitor, usedAt: parts.now() });
    return added;
  }

  function forgetLater(): void {
    forgetting ??= scheduleUnref(FORGET_MS, () => {
      forgetting = undefined;
      forgetClosed(FORGET_MS);
      if ([...entries].some(([key, { server }]) => key !== server)) forgetLater();
    });
  }

  function forgetClosed(unusedMs: number): void {
    const now = parts.now();
    for (const [key, { server, upstream: one, usedAt }] of entries) {
      const { kind } = one.state();
      const keptMs = kind === "failed" ? Math.max(unusedMs, FAILED_MS) : unusedMs;
      const isOver = (kind === "closed" || kind === "failed") && !one.isBusy && now - usedAt >= keptMs;
      if (key !== server && isOver && (watched.get(key)?.uris.length ?? 0) === 0) entries.delete(key);
      forgetWatches(key);
    }
  }

  /** Removes watches that have no listener and no connection. */
  function forgetWatches(key: string): void {
    if (!entries.has(key) && watched.get(key)?.uris.length === 0) watched.delete(key);
  }

  async function drop(server: string): Promise<void> {
    const old = [...entries].filter(([, entry]) => entry.server === server);
    await Promise.all(
      old.map(async ([key, { upstream: one }]) => {
        entries.delete(key);
        retired.add(one);
        forgetWatches(key);
        await one.retire();
        retired.delete(one);
      }),
    );
  }

  /**
   * The state of a server: open if one of its connections is open, else starting if one is starting. The failure of a
   * per-actor connection is not visible to other actors.
   */
  function stateOf(server: string): UpstreamState {
    const states = [...entries.values()]
      .filter((entry) => entry.server === server)
      .map((entry) => entry.upstream.state());
    const open = ["open", "starting"].flatMap((kind) => states.filter((state) => state.kind === kind))[0];
    return open ?? entries.get(server)?.upstream.state() ?? CLOSED;
  }

  async function watch(target: UpstreamTarget, uri: string, onChange: () => void): Promise<Watching> {
    const key = keyOf(target);
    const leave = watchesOf(key).add(uri, onChange);
    const end = (): void => {
      if (leave()) entries.get(key)?.upstream.promptsAndResources.unwatch(uri);
      forgetWatches(key);
    };
    try {
      const answer = await upstream(target).promptsAndResources.watch(target, uri);
      if (answer.kind === "error") end();
      return { answer, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  function expectCall(server: string): () => void {
    expected.set(server, (expected.get(server) ?? 0) + 1);
    return () => {
      const left = (expected.get(server) ?? 1) - 1;
      if (left > 0) return void expected.set(server, left);
      expected.delete(server);
      for (const entry of entries.values()) if (entry.server === server) entry.upstream.closeOrIdle();
    };
  }

  async function closeAll(): Promise<void> {
    forgetting?.();
    const all = Promise.all(
      [...[...entries.values()].map((entry) => entry.upstream), ...retired].map((one) => one.close()),
    );
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([all, timeout]);
    clearTimeout(timer);
    reaper.close();
  }

  return {
    call: async (target, call) => upstream(target).call(target, call),
    list: async (target, signal) => upstream(target).list(target, signal),
    open: async (target, signal) => upstream(target).open(target, signal),
    request: async (target, request, signal) => upstream(target).promptsAndResources.request(target, request, signal),
    offers: async (target, wanted) => upstream(target).promptsAndResources.offers(target, wanted),
    watch,
    onOffersChanged(listener) {
      offerListeners.add(listener);
      return () => void offerListeners.delete(listener);
    },
    expectPeers: (expected) => void (peers = peers === "many" ? peers : expected),
    expectCall,
    needsInstallation: (connection) =>
      connection.kind === "stdio" && installations.isNeeded(commandToStart(connection, parts.env)),
    isProcessActive: (server) => entries.get(server)?.upstream.isProcessActive(),
    state: stateOf,
    messageFaults: (server) =>
      sumFaults([...entries.values()].filter((entry) => entry.server === server).map((entry) => entry.monitor.faults)),
    stderr: (server) => entries.get(server)?.upstream.stderr() ?? [],
    drop,
    adopt(next) {
      Object.assign(options, next.options);
      const isSame = ({ server, upstream: { identity } }: PoolEntry): boolean =>
        identity !== undefined && identity === next.identities.get(server);
      const stale = new Set([...entries.values()].filter((entry) => !isSame(entry)).map((entry) => entry.server));
      for (const server of stale) void drop(server);
      return [...stale];
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

const CLOSED: UpstreamState = { kind: "closed" };

/** The key of a pool entry. No server name contains the separator character. */
function keyOf({ name, actor }: UpstreamTarget): string {
  return actor === undefined ? name : `${name}\0${actor}`;
}

function shuttingDown(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", "The gateway is shutting down.", { server });
}
