import { spawn } from "node:child_process";

/** Signals a process and everything it started. A group that is gone already is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    if (signal === "SIGKILL") killTree(pid);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody is left. EPERM: it runs as somebody else now, and is not ours to end.
  }
}

// Windows has no groups; taskkill follows the parent links.
function killTree(pid: number): void {
  const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  killer.on("error", () => undefined);
  killer.unref();
}
