import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** One line per process of this machine: id, parent, resident kilobytes. */
function listProcesses() {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, kilobytes };
    });
}

export function residentMegabytes(pid) {
  return (listProcesses().find((one) => one.pid === pid)?.kilobytes ?? Number.NaN) / 1024;
}

/** Anonymous resident memory, without file pages, which the kernel loads and drops at any time. On systems other than Linux, all resident memory. */
export function privateMegabytes(pid) {
  return kilobytesOf(pid, "RssAnon") / 1024 || residentMegabytes(pid);
}

/** Peak resident memory. On systems other than Linux, the current value. */
export function peakMegabytes(pid) {
  return kilobytesOf(pid, "VmHWM") / 1024 || residentMegabytes(pid);
}

/** Milliseconds of processor time that the process and its threads have used so far. Available on Linux only. */
export function cpuMilliseconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** Linux reports the processor time of processes in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

function kilobytesOf(pid, member) {
  try {
    return Number(new RegExp(`^${member}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

export function countDescendants(pid) {
  const all = listProcesses();
  const family = new Set([pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return family.size - 1;
}
