import { readFileSync } from "node:fs";

/** Waits until the condition holds: for what has no event to wait for, such as the end of somebody else's process. */
export async function eventually(condition: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`The condition does not hold after ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A zombie has ended; it only waits for a parent that does not look. */
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
