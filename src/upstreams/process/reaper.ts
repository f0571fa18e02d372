// Process groups come in on standard input, nothing goes out: when the input ends, whatever way the gateway ended,
// every group still registered is ended. A program of its own, built to `dist/reaper.js`; Node's own modules only.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const TERM_GRACE_MS = 700;
const POLL_MS = 25;

const registered = new Map<number, string | undefined>();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const pid = Number(line.slice(1));
    // 0 and 1 as a group would mean "my own" and "everybody".
    if (!Number.isInteger(pid) || pid < 2) return;
    if (line.startsWith("+")) registered.set(pid, startTime(pid));
    else registered.delete(pid);
  })
  .on("close", () => void endAll());

async function endAll(): Promise<void> {
  const groups = [...registered].filter(([pid, started]) => isStillOurs(pid, started)).map(([pid]) => pid);
  if (process.platform === "win32") {
    for (const pid of groups) spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  for (const pid of groups) signal(pid, "SIGTERM");
  const deadline = Date.now() + TERM_GRACE_MS;
  while (Date.now() < deadline && groups.some((pid) => signal(pid, 0))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  for (const pid of groups) signal(pid, "SIGKILL");
}

/**
 * A process id can have been given to a stranger meanwhile, who then has another start time. A leader that is gone
 * leaves its number to its group alone, so what answers to the group is still ours.
 */
function isStillOurs(pid: number, started: string | undefined): boolean {
  const current = startTime(pid);
  return current === undefined || started === undefined || current === started;
}

/** Field 22 of /proc/PID/stat; the command in front of it may contain anything, so it is skipped by its last parenthesis. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, name);
    return true;
  } catch {
    return false;
  }
}
