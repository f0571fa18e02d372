// Calls and lists for named servers come in, answers go out. It knows connections, time and failure, and refuses to know
// catalog, rules and policy: whoever calls has decided already.
import { DiscoveryError } from "../errors.js";
import { builtFile } from "../util/built-file.js";
import { createInstallations } from "./install/installations.js";
import { childEnvironment } from "./process/child-environment.js";
import { createReaper } from "./process/reap-client.js";
import { scheduleUnref } from "./schedule.js";
import type { Peers, Upstreams, UpstreamsParts, UpstreamState, UpstreamTarget, Watching } from "./types.js";
import { Upstream } from "./upstream.js";
import { createWatches, type Watches } from "./watches.js";

const CLOSE_MS = 5_000;

/** Lanes of single actors that nobody has used for so long are forgotten, with all that was learnt in them. */
const FORGET_MS = 600_000;
/** Beyond this, they are as soon as they are closed. */
const MOST_LANES = 1_000;
/** Of one that failed it has to be known for so long how often it did. */
const FAILED_MS = 60_000;

/** What a connection is for: one server, and where it is not for everybody, one actor. */
interface Lane {
  readonly server: string;
  readonly upstream: Upstream;
  usedAt: number;
}

export function createUpstreams(parts: UpstreamsParts): Upstreams {
  const lanes = new Map<string, Lane>();
  /** Those that still have calls in them but take no new ones. */
  const retired = new Set<Upstream>();
  /** All connections read from this one object, so that a change of it reaches them. */
  const options = { ...parts.options };
  const reaper = createReaper({
    program: builtFile("reaper.js"),
    env: childEnvironment(parts.env, {}),
    log: parts.log,
  });
  const installations = createInstallations(parts.installsFolder);
  /** A server that is replaced by another of its name is watched as the old one was. */
  const watched = new Map<string, Watches>();
  /** How many calls of a server are about to come. */
  const expected = new Map<string, number>();
  const offerListeners = new Set<Parameters<Upstreams["onOffersChanged"]>[0]>();
  let peers: Peers = "none";
  let closing: Promise<void> | undefined;
  let forgetting: (() => void) | undefined;

  function watchesOf(lane: string): Watches {
    const watches = watched.get(lane) ?? createWatches();
    watched.set(lane, watches);
    return watches;
  }

  function upstream(target: UpstreamTarget): Upstream {
    const { name: server } = target;
    if (closing !== undefined) throw shuttingDown(server);
    const lane = laneOf(target);
    const known = lanes.get(lane);
    if (known !== undefined) {
      known.usedAt = parts.now();
      return known.upstream;
    }
    if (lanes.size >= MOST_LANES) forgetClosed(0);
    if (lane !== server) forgetLater();
    const added = new Upstream({
      ...parts,
      options,
      server,
      reaper,
      installations,
      schedule: scheduleUnref,
      peers: () => peers,
      watches: watchesOf(lane),
      isExpected: () => expected.has(server),
      onOffersChanged(kind) {
        for (const listener of offerListeners) listener(server, kind);
      },
    });
    lanes.set(lane, { server, upstream: added, usedAt: parts.now() });
    return added;
  }

  function forgetLater(): void {
    forgetting ??= scheduleUnref(FORGET_MS, () => {
      forgetting = undefined;
      forgetClosed(FORGET_MS);
      if ([...lanes].some(([lane, { server }]) => lane !== server)) forgetLater();
    });
  }

  function forgetClosed(unusedMs: number): void {
    const now = parts.now();
    for (const [lane, { server, upstream: one, usedAt }] of lanes) {
      const { kind } = one.state();
      const keptMs = kind === "failed" ? Math.max(unusedMs, FAILED_MS) : unusedMs;
      const isOver = (kind === "closed" || kind === "failed") && !one.isBusy && now - usedAt >= keptMs;
      if (lane !== server && isOver && (watched.get(lane)?.uris.length ?? 0) === 0) lanes.delete(lane);
      forgetWatches(lane);
    }
  }

  /** Where nobody watches and there is nothing to watch with. */
  function forgetWatches(lane: string): void {
    if (!lanes.has(lane) && watched.get(lane)?.uris.length === 0) watched.delete(lane);
  }

  async function drop(server: string): Promise<void> {
    const old = [...lanes].filter(([, lane]) => lane.server === server);
    await Promise.all(
      old.map(async ([lane, { upstream: one }]) => {
        lanes.delete(lane);
        retired.add(one);
        forgetWatches(lane);
        await one.retire();
        retired.delete(one);
      }),
    );
  }

  /** Of several, the one that is the most open. Why the connection of one actor failed is nobody else's to hear. */
  function stateOf(server: string): UpstreamState {
    const states = [...lanes.values()].filter((lane) => lane.server === server).map((lane) => lane.upstream.state());
    const open = ["open", "starting"].flatMap((kind) => states.filter((state) => state.kind === kind))[0];
    return open ?? lanes.get(server)?.upstream.state() ?? CLOSED;
  }

  async function watch(target: UpstreamTarget, uri: string, onChange: () => void): Promise<Watching> {
    const lane = laneOf(target);
    const leave = watchesOf(lane).add(uri, onChange);
    const end = (): void => {
      if (leave()) lanes.get(lane)?.upstream.beside.unwatch(uri);
      forgetWatches(lane);
    };
    try {
      const answer = await upstream(target).beside.watch(target, uri);
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
      for (const lane of lanes.values()) if (lane.server === server) lane.upstream.rest();
    };
  }

  async function closeAll(): Promise<void> {
    forgetting?.();
    const all = Promise.all(
      [...[...lanes.values()].map((lane) => lane.upstream), ...retired].map((one) => one.close()),
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([all, late]);
    clearTimeout(timer);
    reaper.close();
  }

  return {
    call: async (target, call, signal) => upstream(target).call(target, call, signal),
    list: async (target, signal) => upstream(target).list(target, signal),
    request: async (target, request, signal) => upstream(target).beside.request(target, request, signal),
    offers: async (target, wanted) => upstream(target).beside.offers(target, wanted),
    watch,
    onOffersChanged(listener) {
      offerListeners.add(listener);
      return () => void offerListeners.delete(listener);
    },
    expectPeers: (expected) => void (peers = peers === "many" ? peers : expected),
    expectCall,
    isStirring: (server) => lanes.get(server)?.upstream.isStirring(),
    state: stateOf,
    stderr: (server) => lanes.get(server)?.upstream.stderr() ?? [],
    drop,
    adopt(next) {
      Object.assign(options, next.options);
      const isSame = ({ server, upstream: { identity } }: Lane): boolean =>
        identity !== undefined && identity === next.identities.get(server);
      const stale = new Set([...lanes.values()].filter((lane) => !isSame(lane)).map((lane) => lane.server));
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

/** No name of a server holds the character between the two. */
function laneOf({ name, actor }: UpstreamTarget): string {
  return actor === undefined ? name : `${name}\0${actor}`;
}

function shuttingDown(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", "The gateway is shutting down.", { server });
}
