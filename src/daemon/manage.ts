// What `daemon stop` and `daemon start` do.
import { startDaemon, whenGone } from "./start.js";
import type { DaemonPlace } from "./paths.js";
import { askDaemon, listDaemons, type RunningDaemon } from "./registry.js";

/** A little longer than a stopping daemon gives the commands that run. */
const LONGEST_STOP_MS = 20_000;

/** Those of the place's folder and configuration, of whatever version; `isAll`: those of the whole state folder. */
export async function findDaemons(place: DaemonPlace, isAll = false): Promise<RunningDaemon[]> {
  const all = await listDaemons(place.stateFolder);
  return all.filter(({ info }) => isAll || (info.cwd === place.cwd && info.config === (place.config ?? null)));
}

export interface Stopped {
  readonly pid: number;
  readonly cwd: string;
  /** Its process is still there. */
  readonly isLate: boolean;
}

export async function stopDaemons(daemons: readonly RunningDaemon[]): Promise<Stopped[]> {
  return await Promise.all(
    daemons.map(async ({ info }) => {
      // One that has ended meanwhile does not answer.
      await askDaemon(info, "stop").catch(() => undefined);
      return { pid: info.pid, cwd: info.cwd, isLate: !(await whenGone(info.pid, LONGEST_STOP_MS)) };
    }),
  );
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
