// Implements `daemon stop` and `daemon start`.
import { startDaemon, waitForExit } from "./start.js";
import type { DaemonPaths } from "./paths.js";
import { isSameProcess } from "../util/start-time.js";
import { askDaemon, type DaemonInfo, findProcesses, type RunningDaemon, type SilentDaemon } from "./registry.js";

/** How long `daemon stop` waits for a daemon to exit: a little longer than the daemon waits for running commands. */
const MAX_STOP_MS = 20_000;
/** How long an unresponsive daemon may take to exit after SIGTERM. */
const TERM_MS = 2_000;

/**
 * Finds the daemons of this working folder and configuration, of any version, including unresponsive ones. With
 * `isAll`, finds all daemons of the state folder.
 */
export async function findDaemons(paths: DaemonPaths, isAll = false): Promise<(RunningDaemon | SilentDaemon)[]> {
  const all = await findProcesses(paths.stateFolder);
  return all.filter(({ info }) => isAll || (info.cwd === paths.cwd && info.config === (paths.config ?? null)));
}

export interface Stopped {
  readonly pid: number;
  readonly cwd: string;
  /** True if the process still runs after the time limit. */
  readonly isLate: boolean;
}

export async function stopDaemons(daemons: readonly (RunningDaemon | SilentDaemon)[]): Promise<Stopped[]> {
  return await Promise.all(
    daemons.map(async ({ info, status }) => {
      // A failed stop request is ignored: the daemon may have exited in the meantime.
      if (status === undefined) await signalDaemon(info);
      else await askDaemon(info, "stop").catch(() => undefined);
      return { pid: info.pid, cwd: info.cwd, isLate: !(await waitForExit(info.pid, MAX_STOP_MS)) };
    }),
  );
}

async function signalDaemon({ pid, startTime }: DaemonInfo): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isSameProcess(pid, startTime)) return;
    process.kill(pid, signal);
    if (await waitForExit(pid, TERM_MS)) return;
  }
}

export interface EnsureParts {
  readonly paths: DaemonPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Returns the process id of the daemon, and whether this call started it. */
export async function ensureDaemon(parts: EnsureParts): Promise<{ pid: number; isNew: boolean }> {
  const before = await askDaemon(parts.paths, "status").catch(() => undefined);
  if (before !== undefined) return { pid: before.pid, isNew: false };
  const channel = await startDaemon(parts);
  channel.close();
  const { pid } = await askDaemon(parts.paths, "status");
  return { pid, isNew: true };
}
