// Detects whether a silent process is working. A process that is starting uses a processor or waits for one; a
// process that hangs does neither.
import { processTree, readProcFile } from "./process-tree.js";
import type { Reaper } from "./reap-client.js";

export interface ProcessActivity {
  /** The given reaper, wrapped to learn the id of each watched process. */
  readonly reaper: Reaper;
  /**
   * Whether the last watched process has used or requested processor time, or has written to standard error, since the
   * previous call. Undefined if the platform does not provide these figures. `instead`: the id of another process to
   * check. `written`: the number of bytes that were written to standard error so far.
   */
  isActive(other?: { readonly instead?: number | undefined; readonly written?: number }): boolean | undefined;
}

interface ProcessorUse {
  readonly ticks: number;
  readonly isRunnable: boolean;
}

export function createProcessActivity(reaper: Reaper): ProcessActivity {
  let pid: number | undefined;
  let before: number | undefined;
  let writtenBefore = 0;
  return {
    reaper: {
      ...reaper,
      watch(started, installation) {
        pid = started;
        before = undefined;
        writtenBefore = 0;
        reaper.watch(started, installation);
      },
    },
    isActive({ instead, written = 0 } = {}) {
      if (instead !== undefined && instead !== pid) [pid, before] = [instead, undefined];
      const hasWritten = written > writtenBefore;
      writtenBefore = written;
      const use = pid === undefined ? undefined : useOf(pid);
      if (use === undefined) return hasWritten || undefined;
      const isNew = before === undefined || use.ticks > before;
      before = use.ticks;
      return isNew || use.isRunnable || hasWritten;
    },
  };
}

/** The processor use of a process and all its descendants together. */
function useOf(pid: number): ProcessorUse | undefined {
  const [own, ...others] = processTree(pid).map(readUse);
  if (own === undefined) return undefined;
  const uses = [own, ...others.filter((use) => use !== undefined)];
  return { ticks: uses.reduce((sum, { ticks }) => sum + ticks, 0), isRunnable: uses.some((use) => use.isRunnable) };
}

/**
 * Reads /proc/PID/stat. The process name in front of the fields may contain any character, so parsing starts after the
 * last closing parenthesis.
 */
function readUse(pid: number): ProcessorUse | undefined {
  const stat = readProcFile(pid, "stat");
  if (stat === undefined) return undefined;
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // User and system time of the process, and of the children that it has waited for.
  const ticks = fields.slice(10, 14).reduce((sum, field) => sum + Number(field), 0);
  return { ticks, isRunnable: state === "R" || state === "D" };
}
