import type { Stages } from "../../compose.js";
import { type DiscoveryEngine, openEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import type { Context } from "./context.js";

/** Opens the engine for one command and closes it whatever happens: no child process is left. */
export async function withEngine<T>(context: Context, use: (engine: DiscoveryEngine) => Promise<T>): Promise<T> {
  const { io, log, configPath } = context;
  const engine = openEngine({ cwd: io.cwd, env: io.env, log, ...(configPath === undefined ? {} : { configPath }) });
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

const FIRST_TIME_WAIT_MS = 60_000;

/** The catalog with first-time servers asked. Stale ones are left alone: a command that ends at once cannot refresh them. */
export async function openWholeCatalog(engine: DiscoveryEngine, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  const { refresh, snapshot } = stages;
  const unknown = [...snapshot().servers.values()].filter(({ record }) => record === undefined);
  if (unknown.length === 0) return stages;
  refresh.start();
  await context.wait(refresh.whenKnown(FIRST_TIME_WAIT_MS), () => {
    const pending = refresh.pending();
    return describeAsking(unknown.length - pending.length, unknown.length, pending);
  });
  return stages;
}

/** `Asking 3 of 12 servers… github, jira`. */
export function describeAsking(done: number, total: number, names: readonly string[]): string {
  return `Asking ${Math.min(done + 1, total)} of ${total} server${total === 1 ? "" : "s"}… ${names.slice(0, 4).join(", ")}`;
}

const LONGEST_START_MS = 60_000;

/** A gateway that goes on running tells its caller to come again while a server starts; here the caller waits. */
export async function whileStarting<T>(work: () => Promise<T>, now: () => number = Date.now): Promise<T> {
  const until = now() + LONGEST_START_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isStarting = error instanceof DiscoveryError && error.code === "UPSTREAM_STARTING";
      if (!isStarting || now() >= until) throw error;
    }
  }
}
