// Implements `daemon stop` and `daemon start`.
import { startDaemon, whenGone } from "./start.js";
import type { DaemonPlace } from "./paths.js";
import { isSameProcess } from "../util/start-time.js";
import { askDaemon, type DaemonInfo, findProcesses, type RunningDaemon, type SilentDaemon } from "./registry.js";

/** A little longer than a stopping daemon waits for running commands. */
const LONGEST_STOP_MS = 20_000;
/** How long a daemon that does not answer may take to exit after SIGTERM. */
const TERM_MS = 2_000;

/**
 * Those of the place's folder and configuration, of whatever version, also when they do not answer; `isAll`: those of the
 * whole state folder.
 */
export async function findDaemons(place: DaemonPlace, isAll = false): Promise<(RunningDaemon | SilentDaemon)[]> {
  const all = await findProcesses(place.stateFolder);
  return all.filter(({ info }) => isAll || (info.cwd === place.cwd && info.config === (place.config ?? null)));
}

export interface Stopped {
  readonly pid: number;
  readonly cwd: string;
  /** Its process is still running. */
  readonly isLate: boolean;
}

export async function stopDaemons(daemons: readonly (RunningDaemon | SilentDaemon)[]): Promise<Stopped[]> {
  return await Promise.all(
    daemons.map(async ({ info, status }) => {
      // A daemon that has exited in the meantime does not answer.
      if (status === undefined) await signalDaemon(info);
      else await askDaemon(info, "stop").catch(() => undefined);
      return { pid: info.pid, cwd: info.cwd, isLate: !(await whenGone(info.pid, LONGEST_STOP_MS)) };
    }),
  );
}

async function signalDaemon({ pid, startTime }: DaemonInfo): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isSameProcess(pid, startTime)) return;
    process.kill(pid, signal);
    if (await whenGone(pid, TERM_MS)) return;
  }
}

export interface EnsureParts {
  readonly place: DaemonPlace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The process id of the place's daemon, and whether it had to be started. */
export async function ensureDaemon(parts: EnsureParts): Promise<{ pid: number; isNew: boolean }> {
  const before = await askDaemon(parts.place, "status").catch(() => undefined);
  if (before !== undefined) return { pid: before.pid, isNew: false };
  const channel = await startDaemon(parts);
  channel.close();
  const { pid } = await askDaemon(parts.place, "status");
  return { pid, isNew: true };
}
