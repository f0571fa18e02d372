import type { Schedule } from "./schedule.js";

const SHORTEST_GAP_MS = 1_000;
const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 20;

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
 * Coalesces announcements of a changed list: at most one report a second and twenty a minute, and always one after the
 * last announcement. The first report waits its second as well, because announcements come in bursts.
 */
export function createListChanges(parts: ListChangesParts): ListChanges {
  let reports: number[] = [];
  let callOff: (() => void) | undefined;

  function report(): void {
    callOff = undefined;
    reports.push(parts.now());
    parts.onChange();
  }

  return {
    notify() {
      if (callOff !== undefined) return;
      const now = parts.now();
      reports = reports.filter((at) => at > now - WINDOW_MS);
      const [oldest] = reports;
      const full = reports.length >= MOST_IN_WINDOW && oldest !== undefined;
      callOff = parts.schedule(full ? Math.max(oldest + WINDOW_MS - now, SHORTEST_GAP_MS) : SHORTEST_GAP_MS, report);
    },
    stop() {
      callOff?.();
      callOff = undefined;
    },
  };
}
