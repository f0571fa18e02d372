import { execFileSync } from "node:child_process";

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

export function countDescendants(pid) {
  const all = listProcesses();
  const family = new Set([pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return family.size - 1;
}
