import { appendFileSync, copyFileSync, statSync, truncateSync } from "node:fs";

const MAX_BYTES = 1024 * 1024;

/**
 * Appends lines to a file of limited size; older lines are moved to `FILE.1`. The file is truncated instead of renamed,
 * because it is also the standard error of this process.
 */
export function createLogFile(file: string, now: () => number, maxBytes = MAX_BYTES): (message: string) => void {
  return (message) => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) {
        copyFileSync(file, `${file}.1`);
        truncateSync(file);
      }
      appendFileSync(file, `${new Date(now()).toISOString()} ${message}\n`, { mode: 0o600 });
    } catch {
      // A failure to write the log must not stop the daemon, and there is nowhere else to report it.
    }
  };
}
