import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds that the main thread of a process has really run: no other program's work is in it (proc(5), schedstat). */
export function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** Milliseconds that the threads of this process were ready to run while others had the processor, all together (proc(5), schedstat). */
export function waitedForCpuMs(): number {
  return readdirSync("/proc/self/task").reduce((sum, thread) => {
    const [, waited] = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(waited) / 1e6;
  }, 0);
}
