import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of processor time of a process's main thread, without the time of other programs (proc(5), schedstat). */
export function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** Milliseconds that the threads of this process waited for a processor, in total (proc(5), schedstat). */
export function waitedForCpuMs(): number {
  return readdirSync("/proc/self/task").reduce((sum, thread) => {
    const [, waited] = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(waited) / 1e6;
  }, 0);
}
