import { writeFileSync } from "node:fs";
import { waitFor } from "./deadline.js";
import { type Chaos, type Fault, startChaos } from "./chaosd.js";
import { type Gateway, openGateway, type Outcome } from "./gateway.js";
import { type FaultHome, inHome } from "./home.js";
import { API_DOCUMENT, type RemoteOptions, type RemoteServer, startRemote } from "./remote-server.js";
import { describe } from "./replay.js";
import type { ProxiedRequest } from "./request-reader.js";

/** How the gateway connects to the remote server: MCP over HTTP in two forms, and its REST API. */
export const WAYS = ["json", "events", "api"] as const;
export type Way = (typeof WAYS)[number];

/** A gateway, a remote server, and a proxy between them under test control. */
export interface RemoteScene {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly remote: RemoteServer;
  readonly chaos: Chaos;
  /** How often a call with this marker was seen on its way to the server. */
  seen(id: string): number;
  /** A call with side effects. */
  change(way: Way, id: string): Promise<Outcome>;
  /** A call without side effects. */
  look(way: Way, id: string): Promise<Outcome>;
}

export interface SceneParts {
  readonly dist: string;
  /** The fault for the call with a marker. */
  readonly plan: (id: string, request: ProxiedRequest) => Fault;
  /** Configuration next to the servers. */
  readonly config?: object;
  readonly remote?: RemoteOptions;
}

const TOOLS = {
  change: { json: "effect", events: "effect", api: "change" },
  look: { json: "read", events: "read", api: "look" },
} as const;

export async function inRemoteScene<T>(parts: SceneParts, work: (scene: RemoteScene) => Promise<T>): Promise<T> {
  return await inHome(async (home) => {
    const remote = await startRemote(parts.remote);
    const seen = new Map<string, number>();
    const chaos = await startChaos({
      port: remote.port,
      plan(request) {
        const id = markerOf(request);
        if (id === undefined || id.startsWith("warm")) return { kind: "none" };
        seen.set(id, (seen.get(id) ?? 0) + 1);
        return parts.plan(id, request);
      },
    });
    try {
      const gateway = await openGateway(configure(home, chaos, parts.config), { dist: parts.dist, measuresLag: true });
      const run =
        (tools: Record<Way, string>) =>
        (way: Way, id: string): Promise<Outcome> =>
          gateway.execute({ server: way, tool: tools[way], arguments: { id } });
      const scene = {
        home,
        gateway,
        remote,
        chaos,
        seen: (id: string) => seen.get(id) ?? 0,
        change: run(TOOLS.change),
        look: run(TOOLS.look),
      };
      for (const way of WAYS) await warm(scene, way);
      return await work(scene);
    } finally {
      await chaos.stop();
      await remote.stop();
    }
  });
}

function configure(home: FaultHome, chaos: Chaos, rest: object = {}): FaultHome {
  writeFileSync(home.path("api.json"), JSON.stringify(API_DOCUMENT));
  home.configure(
    { json: { url: `${chaos.origin}/mcp` }, events: { url: `${chaos.origin}/mcp/events` } },
    { adapters: { api: { document: home.path("api.json"), baseUrl: chaos.origin } }, ...rest },
  );
  return home;
}

/** Calls until the server has started: UPSTREAM_STARTING asks the caller to retry. */
async function warm(scene: RemoteScene, way: Way): Promise<void> {
  await waitFor(async () => {
    const outcome = await scene.look(way, `warm-${way}`);
    if (outcome.kind === "error" && outcome.code === "UPSTREAM_STARTING") return false;
    if (outcome.kind !== "answer") throw new Error(`The first call of ${way} ended in ${JSON.stringify(outcome)}.`);
    return true;
  }, `first answer of ${way}`);
}

/** The marker of a call, from its body or URL; undefined for all other requests. */
function markerOf({ body, path }: ProxiedRequest): string | undefined {
  return /"arguments":\{"id":"([^"]+)"/.exec(body)?.[1] ?? /^\/items\/([\w-]+)/.exec(path)?.[1];
}

/** Compares the answer to a call with the ledger: sent once, run at most once, and no false statement. */
export function judgeChange(id: string, outcome: Outcome, { remote, seen }: RemoteScene): string[] {
  const { calls, effects } = remote.of(id);
  const reported = describe(outcome);
  const found: string[] = [];
  if (seen(id) > 1) found.push(`${id}: sent ${seen(id)} times, reported ${reported}`);
  if (calls > 1 || effects > 1) found.push(`${id}: ${calls} requests and ${effects} effects at the server`);
  if (outcome.kind === "answer" && effects !== 1) found.push(`${id}: answered, with ${effects} effects`);
  if (outcome.kind === "error" && outcome.executed === "no" && effects > 0)
    found.push(`${id}: it ran, but the caller got ${reported}`);
  if (outcome.kind === "error" && outcome.executed === "yes" && effects === 0)
    found.push(`${id}: it did not run, but the caller got ${reported}`);
  if (outcome.kind === "died" || outcome.kind === "refused") found.push(`${id}: ${reported}`);
  return found;
}
