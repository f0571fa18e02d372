import { readRegularTextSync } from "./regular-file.js";

/**
 * The start time of a process, which distinguishes two processes with the same id (field 22 of /proc/PID/stat).
 * Undefined if there is no /proc or no such process. The command name before this field may contain any characters, so
 * everything up to the last parenthesis is skipped.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readRegularTextSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Whether the process is alive and, if the system reports start times, has this start time. */
export function isSameProcess(pid: number, startTime: string | undefined): boolean {
  const current = startTimeOf(pid);
  if (current !== undefined && startTime !== undefined) return current === startTime && !isZombie(pid);
  return isAlive(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isZombie(pid: number): boolean {
  try {
    const stat = readRegularTextSync(`/proc/${pid}/stat`);
    return ["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "");
  } catch {
    return true;
  }
}
