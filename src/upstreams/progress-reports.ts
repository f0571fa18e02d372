import type { JsonObject } from "../model/json.js";

/** So many notifications are passed on at once: servers that report a few steps lose none. */
const MAX_BURST = 20;
/** After the burst, one notification is passed on per interval: the newest. */
const INTERVAL_MS = 50;

export interface ProgressReports {
  /** Takes the parameters of a progress notification. */
  take(params: JsonObject): void;
  /** Discards a waiting notification, because the call has its response. */
  end(): void;
}

/**
 * Passes on the progress of one call: only increasing values, as MCP requires, and at most 20 per second after a burst.
 * Clients redraw for each notification, and one server can send 10,000 per second.
 */
export function createProgressReports(report: (params: JsonObject) => void): ProgressReports {
  let last = Number.NEGATIVE_INFINITY;
  let left = MAX_BURST;
  let waiting: JsonObject | undefined;
  let timer: NodeJS.Timeout | undefined;

  function refill(): void {
    left += 1;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) pass(next);
    timer = left < MAX_BURST ? setTimeout(refill, INTERVAL_MS).unref() : undefined;
  }

  function pass(params: JsonObject): void {
    left -= 1;
    report(params);
  }

  return {
    take(params) {
      const { progress } = params;
      if (typeof progress !== "number" || !(progress > last)) return;
      last = progress;
      if (left > 0) pass(params);
      else waiting = params;
      timer ??= setTimeout(refill, INTERVAL_MS).unref();
    },
    end() {
      clearTimeout(timer);
      last = Number.POSITIVE_INFINITY;
    },
  };
}
