import type { Schedule } from "../schedule.js";

/** Resolves after the delay, or as soon as the caller cancels. */
export function pause(delayMs: number, schedule: Schedule, signal?: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let cancelTimer: () => void = () => undefined;
    const end = (): void => {
      cancelTimer();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    signal?.addEventListener("abort", end, { once: true });
    cancelTimer = schedule(delayMs, end);
  });
}
