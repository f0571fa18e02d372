import type { Connection } from "../model/server.js";
import { installerOf } from "./install/installer.js";
import type { InstallStatus } from "./install/installations.js";
import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";

type Limits = Pick<UpstreamOptions, "startTimeoutMs" | "installTimeoutMs">;

const LOOK_AGAIN_MS = 500;

/** The longest that a server may take to be ready, with the installation of its package where its command does that. */
export function startLimitMs(connection: Connection, { startTimeoutMs, installTimeoutMs }: Limits): number {
  if (connection.kind !== "stdio") return startTimeoutMs;
  const isInstaller = installerOf(connection.command, connection.args) !== undefined;
  return isInstaller ? Math.max(startTimeoutMs, installTimeoutMs) : startTimeoutMs;
}

export interface StartClockParts {
  readonly connection: Connection;
  readonly options: Limits;
  /** Undefined until it is known whether the command will install anything. */
  readonly status: () => InstallStatus | undefined;
  readonly schedule: Schedule;
  readonly now: () => number;
  /** Called once with the limit that has passed. */
  readonly onLate: (limitMs: number) => void;
}

/** Gives an installation `installTimeoutMs` in all, and the server `startTimeoutMs` after it. Returns what ends the clock. */
export function startClock({ connection, options, status, schedule, now, onLate }: StartClockParts): () => void {
  const longestMs = startLimitMs(connection, options);
  const mayEverInstall = longestMs > options.startTimeoutMs;
  const began = now();
  let installedAt = began;
  let stop: () => void = () => undefined;
  const look = (): void => {
    if (status()?.mayInstall() ?? mayEverInstall) installedAt = now();
    const leftMs = Math.min(began + longestMs, installedAt + options.startTimeoutMs) - now();
    if (leftMs > 0) stop = schedule(mayEverInstall ? Math.min(leftMs, LOOK_AGAIN_MS) : leftMs, look);
    else onLate(now() - began >= longestMs ? longestMs : options.startTimeoutMs);
  };
  look();
  return () => stop();
}
