import type { DiscoveryError } from "../errors.js";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const WINDOW_MS = 60_000;
const FAILURES_IN_WINDOW = 5;
const OPEN_MS = 60_000;

/** Why a server is not tried at this moment. */
export interface Pause {
  readonly reason: DiscoveryError;
  readonly retryAt: number;
  /** True when it failed so often that it is left alone for a while. */
  readonly open: boolean;
}

export interface Breaker {
  /** The pause that holds at `now`, if one does. */
  pause(now: number): Pause | undefined;
  /** The last failure, as long as no success followed it. */
  readonly last: Pause | undefined;
  /** It could not be started. */
  startFailed(reason: DiscoveryError, now: number): void;
  /** It ended by itself after it had worked: the next call may try at once. */
  crashed(reason: DiscoveryError, now: number): void;
  succeeded(): void;
}

/** Decides when a failing server is tried again: back-off with jitter, and a breaker for those that fail all the time. */
export function createBreaker(random: () => number): Breaker {
  let failures: number[] = [];
  let starts = 0;
  let onTrial = false;
  let last: Pause | undefined;

  function record(reason: DiscoveryError, now: number, delayMs: number): void {
    failures = [...failures.filter((at) => at > now - WINDOW_MS), now];
    const open = onTrial || failures.length > FAILURES_IN_WINDOW;
    onTrial = open;
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
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** starts, LONGEST_DELAY_MS);
      starts += 1;
      record(reason, now, delayMs * (0.5 + random() / 2));
    },
    crashed(reason, now) {
      record(reason, now, 0);
    },
    // Crashes stay counted: a server that starts well and dies at every call must open the breaker too.
    succeeded() {
      starts = 0;
      onTrial = false;
      last = undefined;
    },
  };
}
