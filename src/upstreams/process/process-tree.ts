import { readRegularTextSync } from "../../util/regular-file.js";

/** Maximum size of a process tree: more processes than any server starts. Further descendants are ignored. */
const MAX_PROCESSES = 50;

/** The process and its descendants. Only the process itself on a platform without /proc. */
export function processTree(pid: number): number[] {
  const found: number[] = [];
  const open = [pid];
  while (open.length > 0 && found.length < MAX_PROCESSES) {
    const next = open.pop() ?? pid;
    found.push(next);
    open.push(...childrenOf(next));
  }
  return found;
}

function childrenOf(pid: number): number[] {
  return (readProcFile(pid, `task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

export function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readRegularTextSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}
