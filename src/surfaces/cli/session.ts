import { describePhase } from "../../catalog/starts.js";
import type { Stages } from "../../compose.js";
import { type DiscoveryEngine } from "../../engine.js";
import { type OpenOptions, openEngine } from "../../open-engine.js";
import type { Context } from "./context.js";
import type { WaitedServer } from "./server-view.js";
import { optionsOf, settleForeignTrust, settleTrust } from "./trust-files.js";

/** Settles first which files of the project are to be used, then opens the engine for one command. */
export async function withEngine<T>(context: Context, use: (engine: DiscoveryEngine) => Promise<T>): Promise<T> {
  await settleTrust(context);
  return await useEngine(context, async (engine) => {
    const isAnyTrusted = await settleForeignTrust(await engine.stages(), context);
    return isAnyTrusted ? await useEngine(context, use) : await use(engine);
  });
}

/** In the background gateway: its engine. Else opens one and closes it whatever happens: no child process is left. */
export async function useEngine<T>(
  context: Context,
  use: (engine: DiscoveryEngine) => Promise<T>,
  options: Pick<OpenOptions, "isBrief" | "observe"> = {},
): Promise<T> {
  const opening = { ...optionsOf(context), ...options };
  const shared = await context.io.sharedEngine?.(opening);
  if (shared !== undefined) return await use(shared);
  // Inside the background gateway the parent process is a client, not a gateway.
  const engine = openEngine(context.io.sharedEngine === undefined ? opening : { ...opening, startedBy: 0 });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** What is configured and what is on disk of it. Nothing is started. */
export async function openCatalog(engine: DiscoveryEngine): Promise<Stages> {
  const stages = await engine.stages();
  await stages.load();
  return stages;
}

/**
 * The catalog with first-time servers asked: waits while they make progress, and shows how far each is. Servers that failed
 * a moment ago are left alone, and stale ones too: a command that ends at once cannot refresh them.
 */
export async function openWholeCatalog(engine: DiscoveryEngine, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  const { refresh } = stages;
  if (!refresh.hasUnknown()) return stages;
  refresh.start();
  const names = refresh.pending();
  await context.waitForServers(refresh.whenSettled(LONGEST_START_MS, { signal: context.io.signal }), () =>
    waitedServers(names, stages),
  );
  return stages;
}

/** How far each of the servers is that a command waits for. */
export function waitedServers(
  names: readonly string[],
  { refresh, snapshot }: Pick<Stages, "refresh" | "snapshot">,
): WaitedServer[] {
  const starts = new Map(refresh.starts().map((start) => [start.name, start]));
  return names.flatMap((name): WaitedServer[] => {
    const start = starts.get(name);
    const server = snapshot().servers.get(name);
    if (start !== undefined) return [{ name, kind: "pending", start }];
    if (server === undefined) return [];
    if (server.failure !== undefined) return [{ name, kind: "failed", reason: server.failure.message }];
    return [{ name, kind: "answered", tools: server.tools.filter(({ enabled }) => enabled).length }];
  });
}

/** `Asking github… (installing 12 s)` */
export function askingText(name: string, { refresh }: Pick<Stages, "refresh">): string {
  const start = refresh.starts().find((one) => one.name === name);
  return `Asking ${name}…${start?.phase === "installing" ? ` (${describePhase(start)})` : ""}`;
}

/** `Asking 3 of 12 servers… github, jira`. */
export function describeAsking(done: number, total: number, names: readonly string[]): string {
  return `Asking ${Math.min(done + 1, total)} of ${total} server${total === 1 ? "" : "s"}… ${names.slice(0, 4).join(", ")}`;
}

/** A gateway that goes on running tells its caller to come again while a server starts; here the caller waits. */
export const LONGEST_START_MS = 60_000;
