import type { CatalogServer } from "../../catalog/snapshot.js";
import type { Stages } from "../../compose.js";
import { type DiscoveryEngine, type OpenOptions, openEngine } from "../../engine.js";
import type { Context } from "./context.js";
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

/** The catalog with first-time servers asked. Stale ones are left alone: a command that ends at once cannot refresh them. */
export async function openWholeCatalog(engine: DiscoveryEngine, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  const { refresh, snapshot } = stages;
  const isKnown = [...snapshot().servers.values()].every(
    ({ record, definition }) => record !== undefined || definition.isFixed === true,
  );
  if (isKnown) return stages;
  refresh.start();
  const total = refresh.pending().length;
  await context.wait(whenEnoughIsKnown(stages, context.io.signal), () => {
    const pending = refresh.pending();
    return describeAsking(total - pending.length, total, pending);
  });
  return stages;
}

const FIRST_TIME_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 500;

/** One server that hangs does not hold up what is known of the others; while nothing is known of any, all are waited for. */
export async function whenEnoughIsKnown(
  { refresh, snapshot }: Pick<Stages, "refresh" | "snapshot">,
  signal: AbortSignal,
): Promise<void> {
  const isNothingKnown = (): boolean => {
    const pending = new Set(refresh.pending());
    const isUnknown = ([name, { tools }]: [string, CatalogServer]): boolean => tools.length === 0 && pending.has(name);
    return pending.size > 0 && [...snapshot().servers].every(isUnknown);
  };
  let waitedMs = FIRST_TIME_WAIT_MS;
  await refresh.whenKnown(FIRST_TIME_WAIT_MS);
  while (isNothingKnown() && waitedMs < LONGEST_WAIT_MS && !signal.aborted) {
    waitedMs += LOOK_AGAIN_MS;
    await refresh.whenKnown(LOOK_AGAIN_MS);
  }
}

/** `Asking 3 of 12 servers… github, jira`. */
export function describeAsking(done: number, total: number, names: readonly string[]): string {
  return `Asking ${Math.min(done + 1, total)} of ${total} server${total === 1 ? "" : "s"}… ${names.slice(0, 4).join(", ")}`;
}

/** A gateway that goes on running tells its caller to come again while a server starts; here the caller waits. */
export const LONGEST_START_MS = 60_000;
