import { appendFileSync, copyFileSync, statSync, truncateSync } from "node:fs";

const MOST_BYTES = 1024 * 1024;

/**
 * Appends lines to a file of bounded size; older lines are in `FILE.1`. The file is truncated in place instead of renamed,
 * because it is also the standard error of this process. A full disk stops the log and nothing else.
 */
export function createLogFile(file: string, now: () => number, mostBytes = MOST_BYTES): (message: string) => void {
  return (message) => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) {
        copyFileSync(file, `${file}.1`);
        truncateSync(file);
      }
      appendFileSync(file, `${new Date(now()).toISOString()} ${message}\n`, { mode: 0o600 });
    } catch {
      // There is no other place to report it.
    }
  };
}
