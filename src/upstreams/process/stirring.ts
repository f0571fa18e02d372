// Whether a process that says nothing does anything: who starts uses processors or waits for one, who hangs does neither.
import { readFileSync } from "node:fs";
import type { Reaper } from "./reap-client.js";

export interface Stirring {
  /** The same reaper; it hears of every process first. */
  readonly reaper: Reaper;
  /** Whether the last process has had or wanted a processor since this was last asked; undefined where nobody can tell. */
  isStirring(): boolean | undefined;
}

interface Use {
  readonly ticks: number;
  readonly wantsMore: boolean;
}

/** More than any server starts; what lies below is not looked at. */
const MOST_PROCESSES = 50;

export function createStirring(reaper: Reaper): Stirring {
  let pid: number | undefined;
  let before: number | undefined;
  return {
    reaper: {
      ...reaper,
      watch(started, installation) {
        pid = started;
        before = undefined;
        reaper.watch(started, installation);
      },
    },
    isStirring() {
      const use = pid === undefined ? undefined : useOf(pid);
      if (use === undefined) return undefined;
      const isNew = before === undefined || use.ticks > before;
      before = use.ticks;
      return isNew || use.wantsMore;
    },
  };
}

/** Of a process and all that it has started. */
function useOf(pid: number): Use | undefined {
  let [ticks, wantsMore] = [0, false];
  const open = [pid];
  for (let seen = 0; open.length > 0 && seen < MOST_PROCESSES; seen += 1) {
    const next = open.pop() ?? pid;
    const own = readUse(next);
    if (own === undefined && next === pid) return undefined;
    ticks += own?.ticks ?? 0;
    wantsMore ||= own?.wantsMore ?? false;
    open.push(...childrenOf(next));
  }
  return { ticks, wantsMore };
}

/** The name in front of the fields may contain anything, so it is skipped by its last parenthesis. */
function readUse(pid: number): Use | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Its own time, in programs and in the system, and that of children it has waited for.
  const ticks = fields.slice(10, 14).reduce((sum, field) => sum + Number(field), 0);
  return { ticks, wantsMore: state === "R" || state === "D" };
}

function childrenOf(pid: number): number[] {
  return (read(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
