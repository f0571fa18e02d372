import type { Schedule } from "./schedule.js";

const MIN_GAP_MS = 1_000;
const WINDOW_MS = 60_000;
const MAX_IN_WINDOW = 20;

export interface ListChangesParts {
  readonly now: () => number;
  readonly schedule: Schedule;
  readonly onChange: () => void;
}

export interface ListChanges {
  notify(): void;
  stop(): void;
}

/**
 * Coalesces list-changed notifications: reports at most one per second and twenty per minute, and always one after the
 * last notification. The first report is delayed by a second as well, because notifications come in bursts.
 */
export function createListChanges(parts: ListChangesParts): ListChanges {
  let reports: number[] = [];
  let cancelTimer: (() => void) | undefined;

  function report(): void {
    cancelTimer = undefined;
    reports.push(parts.now());
    parts.onChange();
  }

  return {
    notify() {
      if (cancelTimer !== undefined) return;
      const now = parts.now();
      reports = reports.filter((at) => at > now - WINDOW_MS);
      const [oldest] = reports;
      const full = reports.length >= MAX_IN_WINDOW && oldest !== undefined;
      cancelTimer = parts.schedule(full ? Math.max(oldest + WINDOW_MS - now, MIN_GAP_MS) : MIN_GAP_MS, report);
    },
    stop() {
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
