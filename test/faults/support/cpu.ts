import { readFileSync } from "node:fs";

/** Milliseconds that the main thread of a process has really run: no other program's work is in it (proc(5), schedstat). */
export function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
