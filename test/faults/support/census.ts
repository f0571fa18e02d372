import { readdirSync, readFileSync } from "node:fs";

/** The resources of a process and its descendants. Available on systems with `/proc`. */
export interface Census {
  /** Descendants, without the process itself. */
  readonly processes: number;
  /** Open file descriptors of the process itself. */
  readonly descriptors: number;
  /** Resident memory of the process itself. */
  readonly rssBytes: number;
}

export function takeCensus(pid: number): Census {
  return {
    processes: descendantsOf(pid).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    rssBytes: rssOf(pid),
  };
}

export function rssOf(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

/** The peak of the resident memory of the process. */
export function peakRssOf(pid: number): number {
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

/** A program name may contain spaces and brackets: the fields start after the last bracket. */
function parentOf(pid: string): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
