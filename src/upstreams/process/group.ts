import { spawn } from "node:child_process";

/** Signals a process and all its descendants. A group that has already exited is not an error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    if (signal === "SIGKILL") killTree(pid);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has no process left. EPERM: the group now runs as another user and must not be killed.
  }
}

// Windows has no process groups; taskkill follows the parent process ids.
function killTree(pid: number): void {
  const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  killer.on("error", () => undefined);
  killer.unref();
}
