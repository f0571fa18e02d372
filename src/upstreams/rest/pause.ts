import type { Schedule } from "../schedule.js";

/** Ends early when the caller has had enough. */
export function pause(delayMs: number, schedule: Schedule, signal?: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let callOff: () => void = () => undefined;
    const end = (): void => {
      callOff();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    signal?.addEventListener("abort", end, { once: true });
    callOff = schedule(delayMs, end);
  });
}
