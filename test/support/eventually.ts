import { readFileSync } from "node:fs";

/** Much longer than any condition takes on a busy machine: it only ends a wait that never succeeds. */
const LIMIT_MS = 120_000;
/** The real timer, also in a test with a fake clock. */
const { setTimeout: later } = globalThis;

/** Polls until the condition holds, for conditions without an event, such as the exit of another program's process. */
export async function eventually(condition: () => boolean | Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`The condition does not hold after ${limitMs / 1000} s: ${condition.toString()}`);
    await new Promise((resolve) => later(resolve, 5));
  }
}

/** A zombie has exited; its parent has not waited for it yet. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "");
  } catch {
    return process.platform !== "linux" && answers(pid);
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
