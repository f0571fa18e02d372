import type { ServerConnection } from "../model/server.js";
import { installerOf } from "./install/installer.js";
import type { InstallStatus } from "./install/installations.js";
import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";

type Limits = Pick<UpstreamOptions, "startTimeoutMs" | "installTimeoutMs">;

const POLL_MS = 500;

/** The time within which a server must be ready. If its command may install a package, it includes the installation. */
export function startLimitMs(connection: ServerConnection, { startTimeoutMs, installTimeoutMs }: Limits): number {
  if (connection.kind !== "stdio") return startTimeoutMs;
  const isInstaller = installerOf(connection.command, connection.args) !== undefined;
  return isInstaller ? Math.max(startTimeoutMs, installTimeoutMs) : startTimeoutMs;
}

export interface StartClockParts {
  readonly connection: ServerConnection;
  readonly options: Limits;
  /** Returns the state of the installation. Undefined until it is known whether the command installs a package. */
  readonly status: () => InstallStatus | undefined;
  readonly schedule: Schedule;
  readonly now: () => number;
  /** Called once when the time limit is exceeded, with that limit. */
  readonly onTimeout: (limitMs: number) => void;
}

/**
 * Starts the clock. The server must be ready `startTimeoutMs` after the installation of its package has ended, and
 * within `startLimitMs` in total. Returns a function that stops the clock.
 */
export function startClock({ connection, options, status, schedule, now, onTimeout }: StartClockParts): () => void {
  const limitMs = startLimitMs(connection, options);
  const mayEverInstall = limitMs > options.startTimeoutMs;
  const began = now();
  let installedAt = began;
  let stop: () => void = () => undefined;
  const check = (): void => {
    if (status()?.mayInstall() ?? mayEverInstall) installedAt = now();
    const leftMs = Math.min(began + limitMs, installedAt + options.startTimeoutMs) - now();
    if (leftMs > 0) stop = schedule(mayEverInstall ? Math.min(leftMs, POLL_MS) : leftMs, check);
    else onTimeout(now() - began >= limitMs ? limitMs : options.startTimeoutMs);
  };
  check();
  return () => stop();
}
