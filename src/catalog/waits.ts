/** Lets callers wait until a condition on the servers is true. */
export interface Waits {
  /** Resolves when `isOver` returns true, after `ms`, when the signal aborts, or when `end` is called. */
  until(isOver: () => boolean, ms: number, signal?: AbortSignal): Promise<void>;
  /** Checks the conditions again; called when a server has answered or failed. */
  check(): void;
  end(): void;
}

/** How often conditions are checked that can become true without an event, for example when a process becomes idle. */
const CHECK_INTERVAL_MS = 250;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createWaits(): Waits {
  const waiting = new Set<{ readonly isOver: () => boolean; readonly wake: () => void }>();

  return {
    until(isOver, ms, signal) {
      if (isOver() || ms <= 0 || signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(limit);
          clearInterval(interval);
          signal?.removeEventListener("abort", wake);
          waiting.delete(waiter);
          resolve();
        };
        const waiter = { isOver, wake };
        const limit = setTimeout(wake, Math.min(ms, MAX_TIMER_MS));
        const interval = setInterval(() => isOver() && wake(), CHECK_INTERVAL_MS);
        signal?.addEventListener("abort", wake, { once: true });
        waiting.add(waiter);
      });
    },
    check() {
      for (const { isOver, wake } of waiting) if (isOver()) wake();
    },
    end() {
      for (const { wake } of waiting) wake();
    },
  };
}
