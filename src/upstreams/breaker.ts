import type { DiscoveryError } from "../errors.js";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const WINDOW_MS = 60_000;
const FAILURES_IN_WINDOW = 5;
const OPEN_MS = 60_000;

/** Why, and until when, a server is not started again. */
export interface Pause {
  readonly reason: DiscoveryError;
  readonly retryAt: number;
  /** True if the server failed so often that the breaker is open. */
  readonly open: boolean;
}

export interface Breaker {
  /** The pause in effect at `now`. Undefined if the server may be started. */
  pause(now: number): Pause | undefined;
  /** The pause after the last failure, even if it is over. Undefined after a success. */
  readonly last: Pause | undefined;
  /** Call this when the server could not be started. */
  startFailed(reason: DiscoveryError, now: number): void;
  /**
   * Call this when the server ended unexpectedly after it had worked. The next call may start it immediately, unless
   * the breaker is open.
   */
  crashed(reason: DiscoveryError, now: number): void;
  succeeded(): void;
}

/** A circuit breaker: decides when a failing server is started again, by exponential back-off with jitter. */
export function createBreaker(random: () => number): Breaker {
  let failures: number[] = [];
  let failedStarts = 0;
  let isHalfOpen = false;
  let last: Pause | undefined;

  function record(reason: DiscoveryError, now: number, delayMs: number): void {
    failures = [...failures.filter((at) => at > now - WINDOW_MS), now];
    const open = isHalfOpen || failures.length > FAILURES_IN_WINDOW;
    isHalfOpen = open;
    last = { reason, retryAt: now + (open ? OPEN_MS : delayMs), open };
  }

  return {
    get last() {
      return last;
    },
    pause(now) {
      return last !== undefined && now < last.retryAt ? last : undefined;
    },
    startFailed(reason, now) {
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failedStarts, MAX_DELAY_MS);
      failedStarts += 1;
      record(reason, now, delayMs * (0.5 + random() / 2));
    },
    crashed(reason, now) {
      record(reason, now, 0);
    },
    // Does not reset the count of crashes: a server that starts and then crashes on every call must open the breaker as
    // well.
    succeeded() {
      failedStarts = 0;
      isHalfOpen = false;
      last = undefined;
    },
  };
}
