import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Census, descendantsOf, takeCensus } from "../census.js";
import { seldom, waitFor } from "../deadline.js";
import { type Gateway, openGateway } from "../gateway.js";
import type { FaultHome } from "../home.js";
import { type Inside, lookInside, makeTransparent } from "../inside.js";
import { type LoadGateway, openLoadGateway, toTokens } from "../load-gateway.js";
import { type RemoteLoad, startRemoteLoad, stdioLoad } from "../load-servers.js";

export const STDIO_SERVERS = ["stdio0", "stdio1", "stdio2", "stdio3", "stdio4"];
export const HTTP_SERVERS = ["http0", "http1", "http2"];
export const SERVERS = [...STDIO_SERVERS, ...HTTP_SERVERS];
const TOOLS_EACH = 20;
const IDLE_MS = 2000;
const QUIET_LIMIT_MS = 60_000;
const CONNECTIONS_LIMIT_MS = 20_000;

/** Two gateways with one store, one over stdio and one over HTTP. */
export interface SoakPlace {
  readonly home: FaultHome;
  readonly dist: string;
  readonly stdio: Gateway;
  readonly http: LoadGateway;
  readonly pids: readonly number[];
  /** Writes the configuration again, with one server added or removed. */
  reconfigure(): void;
}

/** The resources of both gateways without load. */
export interface Holding extends Census {
  readonly heapBytes: number;
  readonly storeBytes: number;
}

export async function openSoakPlace(home: FaultHome, dist: string): Promise<SoakPlace> {
  makeTransparent(home);
  const remote = await startRemoteLoad(home, TOOLS_EACH);
  let isLonger = false;
  const reconfigure = (): void => {
    isLonger = !isLonger;
    configure(home, remote, isLonger ? [...SERVERS, "http9"] : SERVERS);
  };
  configure(home, remote, SERVERS);
  const stdio = await openGateway(home, { dist });
  const http = await openLoadGateway(home, { dist });
  return { home, dist, stdio, http, pids: [stdio.pid, http.pid], reconfigure };
}

/** All caches have a short lifetime, so that expiry happens during the soak. */
function configure(home: FaultHome, remote: RemoteLoad, names: readonly string[]): void {
  const toServer = (name: string): object =>
    name.startsWith("stdio") ? stdioLoad(home, name, TOOLS_EACH) : remote.server(name);
  home.configure(Object.fromEntries(names.map((name) => [name, toServer(name)])), {
    http: { port: 0, tokens: toTokens(), sessions: { idleMs: IDLE_MS } },
    audit: { keepRecords: 1000 },
    policy: { idempotency: { ttlSeconds: 120 } },
    results: { keepMs: IDLE_MS },
    upstreams: { idleMs: IDLE_MS, pulseTimeoutMs: 2000 },
  });
}

/** Server processes that a gateway has started. */
export function serversOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => commandOf(child).includes("loadd.mjs"));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Waits until no server is running, and for kept-alive connections up to their timeout. */
export async function takeHoldings({ home, pids }: SoakPlace, before: readonly Holding[] = []): Promise<Holding[]> {
  await waitFor(
    seldom(() => pids.every((pid) => serversOf(pid).length === 0), LOOK_EVERY_MS),
    "end of idle servers",
    QUIET_LIMIT_MS,
  );
  const isBack = (pid: number, index: number): boolean =>
    takeCensus(pid).descriptors <= (before[index]?.descriptors ?? Number.POSITIVE_INFINITY);
  // The comparison reports what is still open.
  await waitFor(
    seldom(() => pids.every(isBack), LOOK_EVERY_MS),
    "end of idle connections",
    CONNECTIONS_LIMIT_MS,
  ).catch(() => undefined);
  const hold = async (pid: number): Promise<Holding> => {
    // First, because reading the memory opens a connection too.
    const census = takeCensus(pid);
    const inside = await minInside(home, pid);
    return { ...census, rssBytes: inside.rss, heapBytes: inside.heapUsed, storeBytes: storeBytesOf(home) };
  };
  return await Promise.all(pids.map(hold));
}

const LOOKS = 5;
const LOOK_EVERY_MS = 500;

/** Timers and finalizers release more memory: the minimum of several samples is what is held. */
async function minInside(home: FaultHome, pid: number): Promise<Inside> {
  let least = await lookInside(home, pid);
  for (let look = 1; look < LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const next = await lookInside(home, pid);
    least = { ...next, rss: Math.min(next.rss, least.rss), heapUsed: Math.min(next.heapUsed, least.heapUsed) };
  }
  return least;
}

/** The store itself; archives are expected to grow. */
export function storeBytesOf({ state }: FaultHome): number {
  const files = readdirSync(state).filter((name) => name.startsWith("store.db"));
  return files.reduce((sum, name) => sum + statSync(join(state, name)).size, 0);
}
