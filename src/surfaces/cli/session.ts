import type { CatalogServer } from "../../catalog/snapshot.js";
import { describePhase } from "../../catalog/starts.js";
import type { CatalogAccess, Stages } from "../../gateway/stages.js";
import { type DiscoveryEngine, openEngine } from "../../engine.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import type { Tool } from "../../model/tool.js";
import { openCatalog } from "../../operations/open-catalog.js";
import type { AskOptions, AskProgress } from "../../operations/servers/ask-servers.js";
import type { Handler, Input } from "./command.js";
import type { Context } from "./context.js";
import { count } from "../../terminal/lines.js";
import { describeCliStep } from "./next-steps.js";
import { listUnknownServers } from "../../operations/servers/waited-servers.js";
import { createServerView } from "./server-view.js";
import { engineOptions, settleForeignTrust, settleTrust } from "./trust-files.js";

/** A command whose handler needs the engine. */
export function engineCommand(
  run: (engine: DiscoveryEngine, input: Input, context: Context) => Promise<number | void>,
): Handler {
  return (input, context) => withEngine(context, (engine) => run(engine, input, context));
}

/** Asks about untrusted project files first, then opens the engine for one command. */
export async function withEngine<T>(context: Context, use: (engine: DiscoveryEngine) => Promise<T>): Promise<T> {
  await settleTrust(context);
  return await useEngine(context, async (engine) => {
    const isAnyTrusted = await settleForeignTrust(await engine.stages(), context);
    return isAnyTrusted ? await useEngine(context, use) : await use(engine);
  });
}

/** Uses the engine of the background gateway, or opens one and always closes it, so that no child process survives. */
export async function useEngine<T>(
  context: Context,
  use: (engine: DiscoveryEngine) => Promise<T>,
  options: Pick<OpenOptions, "isBrief" | "observe"> = {},
): Promise<T> {
  const opening = { ...engineOptions(context), ...options };
  const shared = await context.io.sharedEngine?.(opening);
  if (shared !== undefined) return await use(shared);
  // Inside the background gateway the parent process is a CLI client, so the check for a gateway as parent is off.
  const engine = openEngine(context.io.sharedEngine === undefined ? opening : { ...opening, startedBy: 0 });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/**
 * Opens the catalog, requests the tools of servers that were never connected before, and shows their states meanwhile.
 */
export async function openWholeCatalog(engine: DiscoveryEngine, context: Context): Promise<Stages> {
  return await listUnknownServers(engine, {
    maxWaitMs: LONGEST_START_MS,
    signal: context.io.signal,
    during: (work, servers) => context.waitWithView(work, createServerView(servers)),
  });
}

/** Opens the catalog, and requests the tools of one server if they are not known yet. */
export async function openServer(
  engine: DiscoveryEngine,
  name: string,
  context: Context,
): Promise<{ readonly stages: Stages; readonly server: CatalogServer }> {
  const stages = await openCatalog(engine);
  const work = stages.discovery.server(name, { waitMs: LONGEST_START_MS });
  return { stages, server: await context.wait(work, () => askingText(name, stages)) };
}

/** Finds a tool, and requests the tools of its server first if they are not known yet. */
export async function waitForTool(
  { server, tool, stages }: { readonly server: string; readonly tool: string; readonly stages: CatalogAccess },
  context: Context,
): Promise<Tool> {
  const work = stages.discovery.tool(server, tool, { waitMs: LONGEST_START_MS });
  return await context.wait(work, () => askingText(server, stages));
}

/** Progress text, such as `Requesting the tools of github… (installing 12 s)`. */
function askingText(name: string, { refresh }: Pick<Stages, "refresh">): string {
  const start = refresh.starts().find((one) => one.name === name);
  return `Requesting the tools of ${name}…${start?.phase === "installing" ? ` (${describePhase(start)})` : ""}`;
}

/** Waits for an operation that connects to servers, and shows its progress. */
export async function waitForAsking<T>(
  context: Context,
  ask: (options: AskOptions) => Promise<T>,
  total = 0,
): Promise<T> {
  let progress: AskProgress = { done: 0, total, underWay: [] };
  const work = ask({ signal: context.io.signal, describe: describeCliStep, onProgress: (now) => (progress = now) });
  return await context.wait(work, () => describeAsking(progress.done, progress.total, progress.underWay));
}

/** Progress text, such as `Checking 3 of 12 servers… github, jira`. */
export function describeAsking(done: number, total: number, names: readonly string[]): string {
  return `Checking ${Math.min(done + 1, total)} of ${count(total, "server")}… ${names.slice(0, 4).join(", ")}`;
}

/** How long a command waits for servers that start for the first time. `serve` tells its client to retry instead. */
export const LONGEST_START_MS = 60_000;
