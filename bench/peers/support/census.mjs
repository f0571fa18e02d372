import { readdirSync, readFileSync } from "node:fs";
import { until } from "./limit.mjs";

/** Every process that a gateway with this home folder started, directly or indirectly. All of them inherit HOME, including detached ones. */
export function processesOf(home) {
  return processesWith((variable) => variable === `HOME=${home}`);
}

/** Used when the benchmark itself is interrupted: ends every process whose HOME is below this folder. */
export function killAllBelow(folder) {
  for (const { pid } of processesWith((variable) => variable.startsWith(`HOME=${folder}/`))) kill(pid);
}

function processesWith(isMark) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid && (read(pid, "environ") ?? "").split("\0").some(isMark))
    .map((pid) => ({ pid, command: (read(pid, "cmdline") ?? "").split("\0").join(" ").trim() }))
    .filter(({ command }) => command !== "");
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

/** Proportional set size: shared memory is divided among the processes, so that the sizes of a process tree can be added. */
export const proportionalMegabytes = (processes) => megabytes(processes, "Pss");

/** Resident set size: shared memory counts in full. */
export const residentMegabytes = (processes) => megabytes(processes, "Rss");

function megabytes(processes, measure) {
  const line = new RegExp(`^${measure}:\\s+(\\d+)`, "m");
  const kilobytes = processes.map(({ pid }) => Number(line.exec(read(pid, "smaps_rollup") ?? "")?.[1] ?? 0));
  return kilobytes.reduce((total, one) => total + one, 0) / 1024;
}

/** A killed process is gone only when its last thread has ended: until then it holds its files, even as a zombie. */
export const isAlive = (pid) => {
  const stat = read(pid, "stat");
  return stat !== undefined && (!/\) [ZX] /.test(stat) || hasThreads(pid));
};

function hasThreads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

export function kill(pid, signal = "SIGKILL") {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Ends every process of this home, by its id, until none is left. */
export async function endAll(home) {
  await until(
    5000,
    () => {
      const left = processesOf(home);
      for (const { pid } of left) kill(pid);
      return left.length === 0;
    },
    50,
  );
}
